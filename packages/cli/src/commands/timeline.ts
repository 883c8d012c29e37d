import type { DeviceMoment } from '@placard/client';
import type { Command } from 'commander';
import { findDevice, findStore } from '../find.ts';
import type { OpenSession, Session } from '../session.ts';

interface Options {
  from?: string;
  to?: string;
  at?: string;
  store?: string;
  region?: string;
  tag?: string;
}

export function addTimelineCommand(program: Command, open: OpenSession): void {
  program
    .command('timeline [device]')
    .description('what a screen shows over time and why, or what all screens show at one time')
    .option('--from <time>', 'of a screen: the beginning; default: now')
    .option('--to <time>', 'of a screen: the end, at most 31 days later; default: a day later')
    .option('--at <time>', 'of all screens: when, such as 2026-12-24T18:00:00+01:00; default: now')
    .option('--store <name>', 'of all screens: only of this store')
    .option('--region <name>', 'of all screens: only of the stores of this region')
    .option('--tag <tag>', 'of all screens: only with this tag')
    .action(async (text: string | undefined, options: Options) => {
      const session = await open();
      const { placard, out, signal } = session;
      if (text === undefined) {
        return out.list(await readMoments(session, options), {
          SCREEN: ({ device }) => device.name,
          STORE: ({ store }) => store?.name,
          SHOWS: ({ playlist }) => playlist?.name,
          UNTIL: ({ until }) => until,
          BECAUSE: ({ reason }) => reason,
        });
      }
      const id = await findDevice(placard, text);
      const timeline = await placard.timeline.get(id, { from: options.from, to: options.to }, { signal });
      if (out.json) {
        return out.one(timeline);
      }
      out.list(timeline.segments, {
        FROM: ({ start }) => start,
        TO: ({ end }) => end,
        SHOWS: ({ playlist }) => playlist?.name,
        BECAUSE: ({ reason }) => reason,
      });
      if (timeline.next_from !== null) {
        out.note(`There is more: --from ${timeline.next_from}`);
      }
    });
}

/** What the screens of a filter show at an instant. */
async function readMoments({ placard, signal }: Session, options: Options): Promise<DeviceMoment[]> {
  const { at = new Date().toISOString(), tag, store, region } = options;
  const storeId = store === undefined ? undefined : await findStore(placard, store);
  return placard.timeline.list({ at, tag, region, store_id: storeId }, { signal }).toArray();
}
