import { setTimeout as sleep } from 'node:timers/promises';
import { isColour } from '../fixtures.ts';
import type { Machine } from '../machine.ts';
import type { Scene } from '../scene.ts';
import { screenShows } from '../trial.ts';
import { BOOT_WITHIN_MS, deviceOnline, pairedMachine } from './power-on.ts';

const PICTURE = isColour('red', 'green', 'yellow');
const DAYS = 30;
const DAY_MS = 86_400_000;
const QUIET_MS = 5 * 60_000;
/** Between two starts of the player. */
const DAYS_OF_A_RUN = 5;
/** As docs/operations.md says of `shell.log`. */
const PLAYER_LOG_BYTES = 10 * 1024 * 1024;
/** What a quiet player may write in a day, so that the journal of a small disk reaches back for weeks. */
const QUIET_DAY_BYTES = 20 * 1024 * 1024;

interface LogSizes {
  /** Bytes of `logs` in the folder of the player. */
  player: number;
  /** Bytes of the messages of the player's units in the journal, since the boot. */
  units: number;
  /** Bytes of the journal on the disk, and of all of /var/log. */
  journal: number;
  system: number;
}

async function sizes(machine: Machine): Promise<LogSizes> {
  const told = await machine.console.run(
    `du -sb /var/lib/placard/logs | cut -f 1
{ journalctl -b -u 'placard*' -o cat --no-pager; journalctl -b -t placard-display -o cat --no-pager; } | wc -c
du -sb /var/log/journal /run/log/journal 2>/dev/null | awk '{ sum += $1 } END { print sum + 0 }'
du -sb /var/log | cut -f 1`,
    120_000,
  );
  const [player = 0, units = 0, journal = 0, system = 0] = told.split('\n').map(Number);
  return { player, units, journal, system };
}

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(2)} MB`;

/**
 * The clock is moved from day to day, so that all that happens at a time of day happens, and each day has what a real
 * one has: the network goes and comes; each fifth day the player starts anew. What a quiet day writes goes by time that passes, not
 * by the clock, and is measured for some minutes.
 */
export const monthOfLogs: Scene = {
  name: 'month-of-logs',
  title: 'Thirty days with losses of the network and starts of the player: logs stay small',
  async run(trial) {
    const { machine, device } = await pairedMachine(trial, 'month-of-logs');
    const before = await sizes(machine);
    await sleep(QUIET_MS);
    const quiet = await sizes(machine);
    const aDay = ((quiet.units - before.units) / QUIET_MS) * DAY_MS;
    trial.note(`a quiet day writes ${megabytes(aDay)} into the journal`);
    if (aDay > QUIET_DAY_BYTES) throw new Error(`a quiet day writes ${megabytes(aDay)} into the journal`);

    // Nothing sets it back.
    await machine.console.run('systemctl stop systemd-timesyncd.service || true');
    for (let day = 1; day <= DAYS; day++) {
      await machine.console.run('date -s "+1 day"');
      await machine.plugNetwork(false);
      await sleep(5_000);
      await machine.plugNetwork(true);
      if (day % DAYS_OF_A_RUN === 0)
        await machine.console.run('systemctl restart placard.service', BOOT_WITHIN_MS);
      await screenShows(machine, `day-${day}`, BOOT_WITHIN_MS, PICTURE);
    }
    await deviceOnline(trial.cloud, device);
    await machine.console.run('journalctl --sync', 120_000);
    const after = await sizes(machine);
    trial.note(
      `after ${DAYS} days: player ${megabytes(after.player)}, its units ${megabytes(after.units - quiet.units)} in the journal, journal ${megabytes(after.journal)}, /var/log ${megabytes(after.system)}`,
    );
    if (after.player > PLAYER_LOG_BYTES)
      throw new Error(`the player keeps ${megabytes(after.player)} of logs`);
    const room = Number(await machine.console.run('df -B1 --output=size / | tail -1'));
    // What journald keeps to by itself is a tenth of the file system.
    if (after.journal > room / 10) throw new Error(`the journal has ${megabytes(after.journal)}`);
    await machine.powerCut();
  },
};
