import { z } from 'zod';
import { videoCapability } from '../player/capabilities.ts';

/** What a device can play, as it has reported. */
export const decoders = z
  .array(videoCapability.meta({ id: 'VideoCapability' }))
  .nullable()
  .meta({
    description: 'What the device can play, by class of videos; null until it is reported',
  });

export const exampleVideoCapability = {
  codec: 'h264',
  bit_depth: 8,
  width: 1920,
  height: 1080,
  frame_rate: 30,
  supported: true,
  smooth: true,
  power_efficient: true,
};
