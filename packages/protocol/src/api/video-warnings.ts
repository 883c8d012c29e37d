import { z } from 'zod';
import { namedReference } from './fields.ts';

/** Devices and content that a warning names. */
export const MAX_WARNED_DEVICES = 5;
export const MAX_WARNED_CONTENT = 100;

export const videoWarningCode = z.enum(['SCREENS_CANNOT_DECODE', 'SCREENS_NOT_SMOOTH']);

/** The class by which videos are judged: the least one that they fit into, or the largest. */
const videoClass = z
  .object({
    codec: z.string(),
    bit_depth: z.int(),
    width: z.int(),
    height: z.int(),
    frame_rate: z.number(),
    exceeded: z.literal(true).optional().meta({
      description:
        'The videos are larger or faster than the largest class, which this is: no screen has reported that it plays them',
    }),
  })
  .meta({ id: 'VideoClass' });

/** Which devices cannot play which videos: of one class, for one reason. */
const videoConcern = z.object({
  video: videoClass,
  device_count: z.int(),
  devices: z.array(namedReference).meta({ description: `At most ${MAX_WARNED_DEVICES} of them, by name` }),
  content_count: z.int(),
  content: z.array(namedReference).meta({ description: `At most ${MAX_WARNED_CONTENT} of the videos` }),
});

/** Added to other warnings, which have none of these. */
export const videoConcernFields = videoConcern.partial().shape;

/** A warning about videos, or about something else. */
export const deploymentWarning = z
  .object({ code: z.string(), message: z.string(), ...videoConcernFields })
  .meta({ id: 'DeploymentWarning' });

export const videoWarning = z
  .object({
    code: videoWarningCode.meta({
      description:
        'Devices that the change reaches have reported that they cannot decode the videos, or leave out frames. Nothing is ' +
        'said of devices that have reported nothing',
    }),
    message: z.string(),
    ...videoConcern.shape,
  })
  .meta({ id: 'VideoWarning' });
export type VideoWarning = z.infer<typeof videoWarning>;

export const exampleVideoWarning = {
  code: 'SCREENS_CANNOT_DECODE',
  message: '1 screen cannot decode HEVC 4K: Counter left. Video: “Intro”.',
  video: { codec: 'hevc', bit_depth: 8, width: 3840, height: 2160, frame_rate: 30 },
  device_count: 1,
  devices: [{ id: 'dev_01kzgm8q2c7d0vqk3m4a5b6c7d', name: 'Counter left' }],
  content_count: 1,
  content: [{ id: 'asset_01kzgm8q2c7d0vqk3m4a5b6c7d', name: 'Intro' }],
} satisfies VideoWarning;

/** A sentence for the description of operations that warn. */
export const VIDEO_WARNING_TEXT =
  '`warnings` names the videos that some of the devices cannot play, as far as devices have reported what they can.';
