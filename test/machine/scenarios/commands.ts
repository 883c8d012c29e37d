import { setTimeout as sleep } from 'node:timers/promises';
import { readCommand, isColour, sendCommand } from '../fixtures.ts';
import type { CommandName } from '../fixtures.ts';
import type { Scenario } from '../scenario.ts';
import { eventually, waitForScreen } from '../scenario-context.ts';
import type { ScenarioContext } from '../scenario-context.ts';
import type { VirtualMachine } from '../virtual-machine.ts';
import { BOOT_WITHIN_MS, startPairedMachine } from './power-on.ts';

const COLOURS = isColour('red', 'green', 'yellow');

const bootId = (machine: VirtualMachine): Promise<string> =>
  machine.console.run('cat /proc/sys/kernel/random/boot_id', 20_000);

/** Waits until a starting machine has a console. */
const waitForBootId = (machine: VirtualMachine): Promise<string> =>
  eventually('the console', BOOT_WITHIN_MS, () =>
    machine.console.tryRun('cat /proc/sys/kernel/random/boot_id', 5_000),
  );

const waitForFinished = (context: ScenarioContext, id: string) =>
  eventually(
    'the command to finish',
    BOOT_WITHIN_MS,
    async () => {
      const row = await readCommand(context.cloud, id);
      return ['succeeded', 'failed', 'expired'].includes(row.status) ? row : null;
    },
    2_000,
  );

async function expectSucceeded(context: ScenarioContext, id: string, what: string): Promise<void> {
  const row = await waitForFinished(context, id);
  if (row.status !== 'succeeded') {
    throw new Error(`${what}: ${JSON.stringify(row)}`);
  }
  context.report(`${what}: ${row.status} ${JSON.stringify(row.result ?? null)}`);
}

/** How often the player has executed a command, in all boots. */
async function countExecutions(machine: VirtualMachine, id: string): Promise<number> {
  return Number(
    await machine.console.run(
      `journalctl -u placard.service -o cat --no-pager | grep 'command.started' | grep -c '"${id}"' || true`,
      20_000,
    ),
  );
}

export const commands: Scenario = {
  name: 'commands',
  title: 'The four commands: alone, two at once, while the machine is off',
  async run(context) {
    const { machine, device } = await startPairedMachine(context, 'commands');
    const sent: string[] = [];
    const send = async (name: CommandName): Promise<string> => {
      const id = await sendCommand(context.cloud, device, name);
      sent.push(id);
      return id;
    };
    const restarts = () =>
      machine.console.run('journalctl -u placard.service -b -o cat | grep -c "^Starting placard" || true');

    await expectSucceeded(context, await send('REFRESH'), 'REFRESH');
    // This player has no update feed and reports that; the update scenarios have one.
    const check = await waitForFinished(context, await send('UPDATE_CHECK'));
    if (check.status !== 'failed' || !JSON.stringify(check.result).includes('not_configured')) {
      throw new Error(`UPDATE_CHECK without a feed: ${JSON.stringify(check)}`);
    }
    const startsBefore = await restarts();
    await expectSucceeded(context, await send('APP_RESTART'), 'APP_RESTART');
    if ((await restarts()) === startsBefore) {
      throw new Error('APP_RESTART did not restart the player');
    }
    await waitForScreen(machine, 'after-app-restart', BOOT_WITHIN_MS, COLOURS);

    const first = await bootId(machine);
    await expectSucceeded(context, await send('REBOOT'), 'REBOOT');
    const second = await waitForBootId(machine);
    if (second === first) {
      throw new Error('REBOOT was reported as succeeded, but the machine did not reboot');
    }
    await waitForScreen(machine, 'after-reboot', BOOT_WITHIN_MS, COLOURS);

    // Two at once: the restart must not lose the other command.
    const both = await Promise.all([send('REFRESH'), send('APP_RESTART')]);
    for (const id of both) {
      await expectSucceeded(context, id, 'one of two at once');
    }
    await waitForScreen(machine, 'after-two', BOOT_WITHIN_MS, COLOURS);

    // Sent while the machine is off: executed once after power-on.
    await machine.powerCut();
    const whileOff = await send('REFRESH');
    await machine.powerOn();
    await expectSucceeded(context, whileOff, 'REFRESH sent while off');
    const third = await waitForBootId(machine);
    await waitForScreen(machine, 'after-off', BOOT_WITHIN_MS, COLOURS);

    // No command is executed again: the machine stays up.
    await sleep(60_000);
    if ((await bootId(machine)) !== third) {
      throw new Error('the machine rebooted again by itself');
    }
    for (const id of sent) {
      const count = await countExecutions(machine, id);
      if (count !== 1) {
        throw new Error(`${id} was executed ${count} times`);
      }
    }
    context.report(`${sent.length} commands were executed once each`);
    await machine.powerCut();
  },
};
