import type { Orientation } from '@placard/protocol';
import type { ToStageMessage } from '@placard/protocol/stage';
import type {
  Clock,
  CloudLink,
  Log,
  Machine,
  MediaCache,
  PackageUpdater,
  PinVerifier,
  PlayerDatabase,
  Random,
  StatusFile,
  SupportBundle,
  Telemetry,
} from '../core/ports.ts';
import type { MaintenanceWindow } from '../core/update/maintenance-window.ts';
import type { FromRuntimeMessage } from './shell-messages.ts';

/** What `main.ts` puts together, and tests replace with ports in memory. */
export interface RuntimeDeps {
  config: {
    /** URL of the cloud. */
    server: string;
    /** Which shell runs the page. */
    shell: string;
    playerVersion: string;
    /** Version of the time zone data of this process. */
    tzVersion?: string | undefined;
    /** The same for every runtime process of one launch of the shell. */
    launchId: string;
    /** Orientation until the cloud sends one. */
    orientation?: Orientation;
    /** Maximum size of the media cache in bytes; null: limited only by the disk. */
    maxCacheBytes: number | null;
    /** Hash of the technician menu's PIN that was set at installation; null: none. */
    menuPinHash: string | null;
    /** When updates are installed automatically; null: only by command. */
    updateWindow: MaintenanceWindow | null;
  };
  clock: Clock;
  random: Random;
  database: PlayerDatabase;
  media: MediaCache;
  cloud: CloudLink;
  telemetry: Telemetry;
  machine: Machine;
  updater: PackageUpdater;
  pinVerifier: PinVerifier;
  supportBundle: SupportBundle;
  statusFile: StatusFile;
  stage: { send(message: ToStageMessage): void };
  shell: { send(message: FromRuntimeMessage): void };
  /** Where a damaged database was moved at this start; null: it was intact. */
  damagedDatabasePath: string | null;
  /** Temporary folder used because the data folder's disk is read-only; null: the disk is writable. */
  substituteDir: string | null;
  log: Log;
}
