import type { DeviceLink } from '../../../src/core/ports.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import type { SimulationClock } from '../clock.ts';
import type { LedgerFile } from '../ledger/ledger-file.ts';
import type { Figures } from '../report/figures.ts';
import type { DeviceDisk } from './disk.ts';
import type { Server } from './servers.ts';
import type { DeviceSettings } from './settings.ts';

/** One device, as its loops see it. */
export interface DeviceContext {
  readonly number: number;
  readonly token: string;
  readonly clock: SimulationClock;
  readonly random: SeededRandom;
  readonly settings: DeviceSettings;
  readonly ledger: LedgerFile;
  readonly figures: Figures;
  readonly disk: DeviceDisk;
  /** What its clock says, in milliseconds since 1970. */
  wallMs(): number;
  readonly server: Server;
  readonly link: DeviceLink;
  /** The server does not answer: from now on it talks to the next one. */
  moveOn(): void;
  /** Before each HTTP request: throws a `Fault` when the pattern has cut this one. */
  beforeRequest(path: string, body: unknown, signal: AbortSignal): Promise<void>;
  /** Counts a failure; throws what is not one. */
  failed(what: string, error: unknown): void;
  /** The cloud has removed it. */
  onUnpaired(): void;
}
