import { VIDEO_CLASSES } from '@placard/protocol';
import type { VideoCodec } from '@placard/protocol';

/** The report of a device that plays everything but these codecs. */
export const capabilitiesWithout = (...missing: readonly VideoCodec[]) => ({
  videos: VIDEO_CLASSES.map((each) => {
    const isSupported = !missing.includes(each.codec);
    return { ...each, supported: isSupported, smooth: isSupported, power_efficient: isSupported };
  }),
});
