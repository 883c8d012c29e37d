import { z } from 'zod';
import { search } from './fields.ts';
import { listPaging, pageOrCursor } from './lists.ts';
import { operationsOf } from './operation.ts';

const tagInUse = z
  .object({
    tag: z.string(),
    devices: z.int(),
    content: z.int(),
    schedules: z.int().meta({ description: 'Schedules that have it as a target' }),
  })
  .meta({ id: 'TagInUse' });
export type TagInUse = z.infer<typeof tagInUse>;

const define = operationsOf('Tags');

export const tagOperations = {
  listTags: define('listTags', 'GET', '/v1/tags', {
    summary: 'The tags of devices, content and targets of schedules, in alphabetical order',
    description: 'Each with the number of devices, files and schedules that have it.',
    access: 'Read',
    query: z
      .strictObject({
        ...listPaging,
        search: search.optional().meta({ description: 'Part of the tag; upper and lower case are the same' }),
      })
      .refine(...pageOrCursor),
    data: z.array(tagInUse),
    list: 'page or cursor',
    example: { data: [{ tag: 'counter', devices: 12, content: 3, schedules: 1 }] },
  }),
};
