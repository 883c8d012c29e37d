import type { Command } from 'commander';
import { findDevice } from '../find.ts';
import { UsageError } from '../output/failure.ts';
import { saveLogs } from '../save-logs.ts';
import type { OpenSession } from '../session.ts';

interface Options {
  device?: string;
  save?: string;
  from?: string;
  to?: string;
  limit: string;
}

export function addLogsCommand(program: Command, open: OpenSession): void {
  program
    .command('logs')
    .description('who changed what (needs an Admin key), or with --device the faults that a screen reports')
    .option('--device <name>', 'the faults of this screen')
    .option('--save <folder>', 'with --device: get the logs of its program instead, into this folder')
    .option('--from <time>', 'from this time on')
    .option('--to <time>', 'before this time')
    .option('--limit <number>', 'at most so many', '50')
    .action(async ({ device: text, save, from, to, limit }: Options) => {
      if (save !== undefined && text === undefined) {
        throw new UsageError('--save is for the logs of a screen: add --device.');
      }
      const session = await open();
      const { placard, out, signal } = session;
      if (text !== undefined) {
        const id = await findDevice(placard, text);
        if (save !== undefined) {
          const files = await saveLogs(session, id, save);
          return out.done(files.join('\n'), { files });
        }
        const device = await placard.devices.get(id, { signal });
        out.list(device.faults, {
          SINCE: ({ since }) => since,
          FAULT: ({ code }) => code,
          FACTS: ({ facts }) => facts,
        });
        return;
      }
      const { data } = await placard.auditLog.list({ from, to, limit: Number(limit) }, { signal }).page();
      out.list(data, {
        TIME: ({ created_at: time }) => time,
        WHO: ({ actor }) => actor.name,
        WHAT: ({ action }) => action,
        RESOURCE: ({ resource }) => resource.name ?? resource.id,
        FIELDS: ({ changes }) => changes.map(({ field }) => field),
      });
    });
}
