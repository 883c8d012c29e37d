import type { Event } from '@placard/client';
import type { Command } from 'commander';
import { UsageError } from '../output/failure.ts';
import { textOf } from '../output/table.ts';
import type { OpenSession } from '../session.ts';

interface Options {
  follow?: true;
  after?: string;
  since?: string;
  types?: string;
  resource?: string;
  limit: string;
}

export function addEventsCommand(program: Command, open: OpenSession): void {
  program
    .command('events')
    .description('what has happened, oldest first; with --follow as it happens')
    .option('--follow', 'go on until interrupted; continues after a lost connection')
    .option('--after <id>', 'only after the event with this id')
    .option('--since <time>', 'only from this time on, such as 2026-11-20T08:00:00Z')
    .option('--types <a,b>', 'only these types; device.* is all of devices')
    .option('--resource <id>', 'only about this device, playlist …')
    .option('--limit <number>', 'without --follow: at most so many', '100')
    .action(async ({ follow, limit, ...options }: Options) => {
      const { placard, out, signal } = await open();
      if (options.after !== undefined && options.since !== undefined) {
        throw new UsageError('Either --after or --since.');
      }
      if (follow) {
        const stream = placard.events.stream({ ...options, types: options.types?.split(','), signal });
        for await (const event of stream) {
          out.line(sentenceOf(event), event);
        }
      }
      const { after, ...filter } = options;
      const most = Number(limit);
      const events: Event[] = [];
      for await (const event of placard.events.list({ ...filter, cursor: after }, { signal })) {
        if (events.push(event) >= most) {
          break;
        }
      }
      out.list(events, {
        TIME: ({ timestamp }) => timestamp,
        TYPE: ({ type }) => type,
        RESOURCE: ({ resource }) => resource,
        NAME: nameOf,
        ID: ({ id }) => id,
      });
    });
}

const sentenceOf = (event: Event): string =>
  [event.timestamp, event.type.padEnd(22), event.resource, textOf(nameOf(event))].join('  ');

/** The name of the resource, which is in the first field of the data of most events. */
function nameOf({ data }: Event): string | undefined {
  const [first] = Object.values(data);
  return typeof first === 'object' && first !== null && 'name' in first && typeof first.name === 'string'
    ? first.name
    : undefined;
}
