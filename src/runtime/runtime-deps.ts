import type { StatusFile } from '../core/ports.ts';
import type { MaintenanceWindow } from '../core/update/maintenance-window.ts';
import type { Ports } from './base/service-deps.ts';
import type { FromRuntimeMessage, RuntimeConfig } from './shell-messages.ts';

/** What `main.ts` puts together, and tests replace with ports in memory. */
export interface RuntimeDeps extends Ports {
  config: Pick<RuntimeConfig, 'server' | 'shell' | 'orientation' | 'maxCacheBytes' | 'menuPinHash'> & {
    playerVersion: string;
    /** Version of the time zone data of this process. */
    tzVersion?: string | undefined;
    /** The same for every runtime process of one launch of the shell. */
    launchId: string;
    /** When updates are installed automatically; null: only by command. */
    updateWindow: MaintenanceWindow | null;
  };
  statusFile: StatusFile;
  shell: { send(message: FromRuntimeMessage): void };
  /** Where a damaged database was moved at this start; null: it was intact. */
  damagedDatabasePath: string | null;
  /** Temporary folder used because the data folder's disk is read-only; null: the disk is writable. */
  substituteDir: string | null;
}
