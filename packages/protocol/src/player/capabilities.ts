import { z } from 'zod';
import { hardware } from './hardware.ts';

/** Whether a device can play videos of a class, such as one of `VIDEO_CLASSES`. */
export const videoCapability = z.object({
  codec: z.string().max(20),
  /** Bits of a colour. */
  bit_depth: z.int().min(1).max(32),
  /** Most pixels. */
  width: z.int().min(1).max(100_000),
  height: z.int().min(1).max(100_000),
  /** Most frames per second. */
  frame_rate: z.number().min(1).max(1000),
  supported: z.boolean(),
  /** Without frames that are left out. */
  smooth: z.boolean(),
  /** Usually: in hardware. */
  power_efficient: z.boolean(),
});

/** `POST /v1/player/capabilities`: what a device can play and what it is made of, after each start and when it changes. */
export const capabilitiesReport = z.object({
  videos: z.array(videoCapability).max(200),
  hardware: hardware.optional(),
});

export type CapabilitiesReport = z.infer<typeof capabilitiesReport>;
