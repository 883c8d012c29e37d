import type { Command } from 'commander';
import { findDevice } from '../find.ts';
import type { OpenSession } from '../session.ts';

interface Options {
  device?: string;
  from?: string;
  to?: string;
  limit: string;
}

export function addLogsCommand(program: Command, open: OpenSession): void {
  program
    .command('logs')
    .description('who changed what (needs an Admin key), or with --device the faults that a screen reports')
    .option('--device <name>', 'the faults of this screen; the log of its program is on the screen itself')
    .option('--from <time>', 'from this time on')
    .option('--to <time>', 'before this time')
    .option('--limit <number>', 'at most so many', '50')
    .action(async ({ device: text, from, to, limit }: Options) => {
      const { placard, out, signal } = await open();
      if (text !== undefined) {
        const device = await placard.devices.get(await findDevice(placard, text), { signal });
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
