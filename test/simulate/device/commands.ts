import { Fault } from '@placard/protocol';
import type { WireCommand } from '@placard/protocol';
import {
  createEntry,
  finishEntry,
  nextAction,
  recoverEntry,
  statusToReport,
} from '../../../src/core/commands/journal.ts';
import type { CommandEntry, KnownCommandEntry, PlayerRun } from '../../../src/core/commands/journal.ts';
import { backoffMs } from '../../../src/core/backoff.ts';
import type { DeviceContext } from './context.ts';

/** As a player does. */
const RETRY = { baseMs: 2_000, capMs: 60_000 };
/** Reported ones that a device remembers. */
const MAX_REMEMBERED = 20;

export interface CommandsDeps {
  device: DeviceContext;
  run: PlayerRun;
  refresh: (signal: AbortSignal) => Promise<void>;
  /** Ends this run of the device, as `REBOOT` and `APP_RESTART` do. */
  restart: () => void;
}

/** Executes commands once each, and reports what became of them, by the journal of the player. */
export function createCommands({ device, run, refresh, restart }: CommandsDeps) {
  const { clock, disk, figures } = device;
  let isRunning = false;
  disk.commands = disk.commands.map((entry) => recoverEntry(entry, run));

  const save = (entry: CommandEntry) => {
    disk.commands = disk.commands.map((one) => (one.id === entry.id ? entry : one));
  };

  async function reportAll(signal: AbortSignal): Promise<void> {
    for (const entry of disk.commands) {
      const status = statusToReport(entry);
      if (!status) {
        continue;
      }
      const path = `/v1/player/commands/${entry.id}/status`;
      await device.beforeRequest(path, status, signal);
      const beganMs = clock.monoMs();
      const response = await device.link.reportCommandStatus(entry.id, status, signal);
      if (response.kind === 'unpaired') {
        return device.onUnpaired();
      }
      if (response.kind === 'refused') {
        figures.error(`command report refused ${response.code}`);
      } else {
        device.ledger.write(['report', device.number, entry.id, status.status]);
        figures.time('command_report', clock.monoMs() - beganMs);
        figures.count('command_reports');
      }
      save({ ...entry, told: status.status });
    }
  }

  async function execute(entry: KnownCommandEntry, signal: AbortSignal): Promise<void> {
    switch (entry.command) {
      case 'REFRESH':
        try {
          await refresh(signal);
          save(finishEntry(entry, 'succeeded', {}));
        } catch (error) {
          if (!signal.aborted) {
            device.failed('manifest', error);
            save(finishEntry(entry, 'failed', { reason: 'the manifest was not received' }));
          }
        }
        break;
      case 'UPDATE_CHECK':
        save(finishEntry(entry, 'succeeded', { outcome: 'current' }));
        break;
      case 'SCREENSHOT':
        save(finishEntry(entry, 'failed', { reason: 'a simulated device has no screen' }));
        break;
      case 'LOGS':
        save(finishEntry(entry, 'failed', { reason: 'a simulated device has no logs' }));
        break;
      case 'REBOOT':
      case 'APP_RESTART':
        restart();
        break;
    }
  }

  /** Reports and executes until nothing is left. */
  async function work(signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted;) {
      try {
        await reportAll(signal);
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        device.failed('command report', error);
        const pauseMs = backoffMs(attempt++, device.random.next(), RETRY);
        const asked = error instanceof Fault && typeof error.retry === 'object' ? error.retry.afterMs : 0;
        await clock.sleep(Math.max(pauseMs, asked), signal);
        continue;
      }
      const action = nextAction(disk.commands, run, clock.wallMs());
      if (!action) {
        disk.commands = disk.commands.slice(-MAX_REMEMBERED);
        return;
      }
      save(action.entry);
      if (action.kind === 'execute') {
        await execute(action.entry, signal);
      }
    }
  }

  async function wake(signal: AbortSignal): Promise<void> {
    if (isRunning) {
      return;
    }
    isRunning = true;
    await work(signal).finally(() => {
      isRunning = false;
    });
  }

  return {
    /** Reports what an earlier run has left. */
    wake,
    accept(commands: readonly WireCommand[], signal: AbortSignal): Promise<void> {
      for (const command of commands) {
        const entry = createEntry(disk.commands, command, clock.wallMs());
        if (entry) {
          disk.commands.push(entry);
        }
      }
      return commands.length > 0 ? wake(signal) : Promise.resolve();
    },
  };
}
