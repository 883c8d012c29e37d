import { randomUUID } from 'node:crypto';
import { commandName } from '@placard/protocol';
import { operations } from '@placard/protocol/api';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { CloudApi } from './cloud-api/api.ts';
import type { FleetDevice } from './fleet/fleet-file.ts';
import type { LedgerFile } from './ledger/ledger-file.ts';
import { systemClock } from './clock.ts';

/** Sends commands to devices, this many a minute, until the signal aborts. What the cloud accepts goes into the ledger. */
export async function sendCommands(
  deps: {
    api: CloudApi;
    ledger: LedgerFile;
    random: SeededRandom;
    perMinute: number;
    devices(): readonly FleetDevice[];
    onError(kind: string): void;
  },
  signal: AbortSignal,
): Promise<void> {
  while (deps.perMinute > 0 && !signal.aborted) {
    await systemClock.sleep(60_000 / deps.perMinute, signal);
    const devices = deps.devices();
    if (signal.aborted || devices.length === 0) {
      continue;
    }
    const { id } = deps.random.pick(devices);
    try {
      const sent = await deps.api.call(operations.sendCommand, {
        params: { id },
        body: { command: deps.random.pick(commandName.options) },
        idempotencyKey: randomUUID(),
      });
      deps.ledger.write(['command', sent.id, id]);
    } catch (error) {
      deps.onError(`command ${error instanceof Error ? error.message.slice(0, 100) : String(error)}`);
    }
  }
}
