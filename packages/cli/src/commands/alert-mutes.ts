import type { AlertMute } from '@placard/client';
import type { Command } from 'commander';
import { UsageError } from '../output/failure.ts';
import type { Columns } from '../output/table.ts';
import type { OpenSession } from '../session.ts';
import { formatTarget, parseTarget } from '../targets.ts';

const MUTE_COLUMNS: Columns<AlertMute> = {
  ID: ({ id }) => id,
  SCREENS: ({ target }) => formatTarget(target),
  UNTIL: ({ until }) => until,
  REASON: ({ reason }) => reason,
};

/** Adds the commands about times in which no alert is opened. */
export function addMuteCommands(alerts: Command, open: OpenSession): void {
  alerts
    .command('mutes')
    .description('for which screens no alert is opened, and until when')
    .action(async () => {
      const { placard, out, signal } = await open();
      out.list(await placard.alerts.listMutes({ signal }), MUTE_COLUMNS);
    });
  alerts
    .command('mute <screens>')
    .description('open no alert for screens until a time: device:NAME, store:NAME or all')
    .requiredOption('--until <time>', 'ISO 8601, such as 2026-11-20T18:00:00+01:00')
    .option('--reason <text>', 'shown beside it')
    .action(async (screens: string, { until, reason }: { until: string; reason?: string }) => {
      const { placard, out, signal } = await open();
      const target = await parseTarget(placard, screens);
      if (target.type === 'tag') {
        throw new UsageError('A tag cannot be muted: name a device, a store or all.');
      }
      const mute = await placard.alerts.createMute({ target, until, reason: reason ?? null }, { signal });
      out.done(`No alert is opened for ${screens} until ${mute.until} (${mute.id}).`, mute);
    });
  alerts
    .command('unmute <id>')
    .description('end a mute')
    .action(async (id: string) => {
      const { placard, out, signal } = await open();
      out.done(`The mute ${id} is over.`, await placard.alerts.deleteMute(id, { signal }));
    });
}
