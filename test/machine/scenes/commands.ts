import { commandRow, isColour, sendCommand } from '../fixtures.ts';
import type { Scene } from '../scene.ts';
import { eventually, screenShows, type Trial } from '../trial.ts';
import type { Machine } from '../machine.ts';
import { BOOT_WITHIN_MS, pairedMachine } from './power-on.ts';

const COLOURS = isColour('red', 'green', 'yellow');

const bootId = (machine: Machine): Promise<string> =>
  machine.console.run('cat /proc/sys/kernel/random/boot_id', 20_000);

/** A machine that is starting answers when its console is there. */
const bootIdSoon = (machine: Machine): Promise<string> =>
  eventually('the console', BOOT_WITHIN_MS, () =>
    machine.console.tryRun('cat /proc/sys/kernel/random/boot_id', 5_000),
  );

const finished = (trial: Trial, id: string) =>
  eventually(
    'the command to be finished',
    BOOT_WITHIN_MS,
    async () => {
      const row = await commandRow(trial.cloud, id);
      return ['succeeded', 'failed', 'expired'].includes(row.status) ? row : null;
    },
    2_000,
  );

async function expectSucceeded(trial: Trial, id: string, what: string): Promise<void> {
  const row = await finished(trial, id);
  if (row.status !== 'succeeded') throw new Error(`${what}: ${JSON.stringify(row)}`);
  trial.note(`${what}: ${row.status} ${JSON.stringify(row.result ?? null)}`);
}

export const commands: Scene = {
  name: 'commands',
  title: 'The four commands: alone, two at once, while the machine is off',
  async run(trial) {
    const { machine, device } = await pairedMachine(trial, 'commands');
    const restarts = () =>
      machine.console.run(
        'journalctl -u placard.service -b -o cat | grep -c "Started\\|player.started" || true',
      );

    await expectSucceeded(trial, await sendCommand(trial.cloud, device, 'REFRESH'), 'REFRESH');
    // This player has no feed, and says so; the scene of updates has one.
    const check = await finished(trial, await sendCommand(trial.cloud, device, 'UPDATE_CHECK'));
    if (check.status !== 'failed' || !JSON.stringify(check.result).includes('not_configured'))
      throw new Error(`UPDATE_CHECK without a feed: ${JSON.stringify(check)}`);
    const startsBefore = await restarts();
    await expectSucceeded(trial, await sendCommand(trial.cloud, device, 'APP_RESTART'), 'APP_RESTART');
    if ((await restarts()) === startsBefore) throw new Error('APP_RESTART started nothing');
    await screenShows(machine, 'after-app-restart', BOOT_WITHIN_MS, COLOURS);

    const first = await bootId(machine);
    await expectSucceeded(trial, await sendCommand(trial.cloud, device, 'REBOOT'), 'REBOOT');
    const second = await bootIdSoon(machine);
    if (second === first) throw new Error('REBOOT was told as succeeded, but the machine did not reboot');
    await screenShows(machine, 'after-reboot', BOOT_WITHIN_MS, COLOURS);

    // Two at once: the second falls into ten minutes after the first and is answered, whatever the answer.
    const both = await Promise.all([
      sendCommand(trial.cloud, device, 'REFRESH'),
      sendCommand(trial.cloud, device, 'APP_RESTART'),
    ]);
    for (const id of both) await expectSucceeded(trial, id, 'one of two at once');
    await screenShows(machine, 'after-two', BOOT_WITHIN_MS, COLOURS);

    // Sent while the machine is off: carried out once when it is on.
    await machine.powerCut();
    const whileOff = await sendCommand(trial.cloud, device, 'REFRESH');
    await machine.powerOn();
    await expectSucceeded(trial, whileOff, 'REFRESH sent while off');
    const third = await bootIdSoon(machine);
    await screenShows(machine, 'after-off', BOOT_WITHIN_MS, COLOURS);

    // It stays up: nothing is carried out again.
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    if ((await bootId(machine)) !== third) throw new Error('the machine rebooted once more by itself');
    await machine.powerCut();
  },
};
