import { z } from 'zod';
import { timestamp } from '../primitives.ts';
import { deletionResult, queryBoolean, queryScheduleInstant } from './fields.ts';

/** Days that a dry run looks ahead, unless it is asked for more. */
export const DRY_RUN_DAYS = 7;
/** Most groups of devices of one answer. */
export const MAX_DRY_RUN_GROUPS = 50;
/** Most devices and changes that are listed of one group. */
export const MAX_LISTED_DEVICES = 100;
export const MAX_LISTED_CHANGES = 20;

/** The query of an operation that can be tried. */
export const dryRunQuery = z
  .strictObject({
    dry_run: queryBoolean.optional().meta({
      description:
        'True: nothing is stored, and `dry_run` of the answer says which screens would show something else, when and what',
    }),
    from: queryScheduleInstant.optional().meta({
      description: 'With `dry_run`: the first instant that is compared; default: now',
      example: '2026-11-20T00:00:00Z',
    }),
    to: queryScheduleInstant.optional().meta({
      description: `With \`dry_run\`: the end of what is compared, at most 31 days after \`from\`; default: ${DRY_RUN_DAYS} days after it`,
      example: '2026-11-27T00:00:00Z',
    }),
  })
  .refine(({ dry_run, from, to }) => dry_run === true || (from === undefined && to === undefined), {
    path: ['dry_run'],
    message: 'must be true when from or to is given',
  });
export type DryRunQuery = z.infer<typeof dryRunQuery>;

const named = z.object({ id: z.string(), name: z.string() });
const shown = z
  .object({
    source: z.enum(['schedule', 'deployment', 'none']),
    playlist: named.nullable(),
    schedule: named.nullable(),
    rule_id: z.string().nullable(),
    reason: z.string(),
  })
  .meta({ id: 'Shown' });
const changeKind = z.enum(['playlist_changes', 'content_changes']);
export type ShownChangeKind = z.infer<typeof changeKind>;

const shownChange = z
  .object({
    start: timestamp,
    end: timestamp.meta({ description: 'The first instant after it' }),
    kind: changeKind.meta({
      description: '`content_changes`: the same playlist would be shown, with other items or in another mode',
    }),
    before: shown.meta({ description: 'What is shown without the change' }),
    after: shown.meta({ description: 'What would be shown' }),
  })
  .meta({ id: 'ShownChange' });

const changeGroup = z
  .object({
    device_count: z.int(),
    devices: z.array(named).meta({ description: `The first ${MAX_LISTED_DEVICES} of them, by id` }),
    change_count: z.int(),
    changes: z.array(shownChange).meta({ description: `The first ${MAX_LISTED_CHANGES} of them` }),
  })
  .meta({ id: 'ChangeGroup' });

/** What a change would do to the screens. */
export const dryRun = z
  .object({
    from: timestamp,
    to: timestamp,
    device_count: z
      .int()
      .meta({ description: 'Devices that would show something else at some time from `from` until `to`' }),
    playlist_changes: z.int().meta({
      description: 'Those of them that would show another playlist, or one instead of none, or none',
    }),
    content_changes: z
      .int()
      .meta({ description: 'Those of them that would show a playlist with other items or in another mode' }),
    first_change: timestamp.nullable().meta({ description: 'The first instant with a difference, if any' }),
    group_count: z.int(),
    groups: z.array(changeGroup).meta({
      description: `Devices with the same changes, the first ${MAX_DRY_RUN_GROUPS} groups by the time of their first change`,
    }),
    unexamined_device_count: z.int().meta({
      description:
        'Devices that were not compared because it would have taken too long; they are in no other number. Usually 0',
    }),
  })
  .meta({ id: 'DryRun' });
export type DryRun = z.infer<typeof dryRun>;

/** The answer of an operation that can be tried. */
export const withDryRun = <S extends z.ZodRawShape>(data: z.ZodObject<S>) =>
  data.extend({
    dry_run: dryRun.optional().meta({
      description:
        'Only with `dry_run=true`. Then the rest is what the operation would answer, of which nothing was stored: ids of what ' +
        'would be created are not those that it will get.',
    }),
  });

/** A sentence for the description of such an operation. */
export const DRY_RUN_TEXT =
  'With `dry_run=true` nothing is stored, recorded or sent: the answer, with status 200, says which screens would show ' +
  `something else in the next ${DRY_RUN_DAYS} days, or from \`from\` until \`to\`, when and what. Errors are the same.`;

/** The answer of a deletion that can be tried. */
export const triedDeletion = withDryRun(deletionResult).meta({ id: 'TriedDeletion' });
