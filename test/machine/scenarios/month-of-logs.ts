import { setTimeout as sleep } from 'node:timers/promises';
import { isColour } from '../fixtures.ts';
import type { VirtualMachine } from '../virtual-machine.ts';
import type { Scenario } from '../scenario.ts';
import { waitForScreen } from '../scenario-context.ts';
import { BOOT_WITHIN_MS, waitForOnline, startPairedMachine } from './power-on.ts';

const PICTURE = isColour('red', 'green', 'yellow');
const DAYS = 30;
const DAY_MS = 86_400_000;
const QUIET_MS = 5 * 60_000;
/** Days between two restarts of the player. */
const DAYS_OF_A_RUN = 5;
/** Documented limit in docs/operations.md for `shell.log` and `runtime.log` together. */
const PLAYER_LOG_BYTES = 20 * 1024 * 1024;
/** Maximum per day without incidents, so that the journal of a small disk covers weeks. */
const QUIET_DAY_BYTES = 20 * 1024 * 1024;

interface LogSizes {
  /** Bytes in the `logs` folder of the player. */
  player: number;
  /** Bytes of the player units' messages in the journal, since the boot. */
  units: number;
  /** Bytes of the journal on the disk, and of all of /var/log. */
  journal: number;
  system: number;
}

async function readLogSizes(machine: VirtualMachine): Promise<LogSizes> {
  const output = await machine.console.run(
    `du -sb /var/lib/placard/logs | cut -f 1
{ journalctl -b -u 'placard*' -o cat --no-pager; journalctl -b -t placard-display -o cat --no-pager; } | wc -c
du -sb /var/log/journal /run/log/journal 2>/dev/null | awk '{ sum += $1 } END { print sum + 0 }'
du -sb /var/log | cut -f 1`,
    120_000,
  );
  const [player = 0, units = 0, journal = 0, system = 0] = output.split('\n').map(Number);
  return { player, units, journal, system };
}

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(2)} MB`;

/**
 * The clock is set forward day by day, so that everything scheduled by time of day happens, and each day has typical
 * incidents: the network fails and returns; every fifth day the player restarts. Logs of a day without incidents depend
 * on elapsed time, not on the clock, and are measured for some minutes.
 */
export const monthOfLogs: Scenario = {
  name: 'month-of-logs',
  title: 'Thirty days with network failures and restarts of the player: logs stay small',
  async run(context) {
    const { machine, device } = await startPairedMachine(context, 'month-of-logs');
    const before = await readLogSizes(machine);
    await sleep(QUIET_MS);
    const quiet = await readLogSizes(machine);
    const aDay = ((quiet.units - before.units) / QUIET_MS) * DAY_MS;
    context.report(`a day without incidents writes ${megabytes(aDay)} into the journal`);
    if (aDay > QUIET_DAY_BYTES) {
      throw new Error(`a day without incidents writes ${megabytes(aDay)} into the journal`);
    }

    // Prevents time synchronization from setting it back.
    await machine.console.run('systemctl stop systemd-timesyncd.service || true');
    for (let day = 1; day <= DAYS; day++) {
      await machine.console.run('date -s "+1 day"');
      await machine.plugNetwork(false);
      await sleep(5_000);
      await machine.plugNetwork(true);
      if (day % DAYS_OF_A_RUN === 0) {
        await machine.console.run('systemctl restart placard.service', BOOT_WITHIN_MS);
      }
      await waitForScreen(machine, `day-${day}`, BOOT_WITHIN_MS, PICTURE);
    }
    await waitForOnline(context.cloud, device);
    await machine.console.run('journalctl --sync', 120_000);
    const after = await readLogSizes(machine);
    context.report(
      `after ${DAYS} days: player ${megabytes(after.player)}, its units ${megabytes(after.units - quiet.units)} in the journal, journal ${megabytes(after.journal)}, /var/log ${megabytes(after.system)}`,
    );
    if (after.player > PLAYER_LOG_BYTES) {
      throw new Error(`the player's logs take ${megabytes(after.player)} of logs`);
    }
    const diskBytes = Number(await machine.console.run('df -B1 --output=size / | tail -1'));
    // journald's default limit is a tenth of the file system.
    if (after.journal > diskBytes / 10) {
      throw new Error(`the journal takes ${megabytes(after.journal)}`);
    }
    await machine.powerCut();
  },
};
