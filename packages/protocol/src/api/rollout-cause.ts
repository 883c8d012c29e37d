import { z } from 'zod';

const counted = z.int().min(0);

export const rolloutMeasure = z.enum(['restarts', 'faults', 'dropped_frames', 'start_time']).meta({
  description:
    '`restarts` and `faults`: so many a day. `dropped_frames`: their share of all frames, from 0 to 1. `start_time`: milliseconds until the first picture',
});
export type RolloutMeasure = z.infer<typeof rolloutMeasure>;

/** What a kind is made of: for programs that say it in words of their own. */
export const kindParts = {
  model: z.string().nullish().meta({
    description:
      'The board of the kind, as `hardware.model` of a device, or its platform; null: several. Left out by clouds of earlier versions',
  }),
  shell: z.string().nullish().meta({
    description: 'The shell of the kind; null: not known, or several. Left out by clouds of earlier versions',
  }),
};
const kindFields = {
  kind: z.string().nullable().meta({
    description: 'Board and shell, as of the devices; `rare boards`: all of which there are few; null: all',
  }),
  ...kindParts,
};

/** Why a rollout is held, was stopped, or has finished without a device. */
export const rolloutCause = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('stopped_by_hand'),
      name: z.string().meta({ description: 'Who stopped it' }),
    }),
    z.object({
      type: z.literal('worse'),
      measure: rolloutMeasure,
      ...kindFields,
      updated: counted.meta({ description: 'Updated devices that were compared' }),
      before: z.number(),
      after: z.number(),
      others: counted.meta({ description: 'Devices whose turn had not come' }),
      others_before: z.number(),
      others_after: z.number(),
    }),
    z.object({
      type: z.literal('not_coming_back'),
      ...kindFields,
      told: counted,
      silent: counted,
      others: counted.meta({ description: 'Devices that were not told' }),
      others_silent: counted,
    }),
    z.object({
      type: z.literal('broken_update'),
      ...kindFields,
      answered: counted.meta({
        description:
          'Devices that were told no later than the last one that failed, and have received it; some of them may not have answered yet',
      }),
      broken: counted.meta({
        description: 'Devices on which the version could not be installed, or did not become healthy',
      }),
    }),
    z.object({ type: z.literal('nothing_compared') }),
    z.object({
      type: z.literal('too_few_updated'),
      chosen: counted.meta({ description: 'Devices of the ring' }),
      alive: counted.meta({ description: 'Run the version, and were online in the last day' }),
      failed: counted,
      told: counted.meta({ description: 'Of which nothing is known' }),
    }),
    z.object({ type: z.literal('nothing_older') }),
  ])
  .meta({
    id: 'RolloutCause',
    description:
      'Held: `nothing_compared` or `too_few_updated`. Finished without a device: `nothing_older`. Stopped: the others. There may be more types later',
  });
export type RolloutCause = z.infer<typeof rolloutCause>;
