import type { Logger } from 'pino';
import type { BlobStore } from '../blob/blob-store.ts';
import type { UploadFiles } from '../blob/upload-files.ts';
import type { CloudDatabase, Transaction } from '../database/cloud-database.ts';
import type { Row } from '../database/schema.ts';
import type { DataFolderLock } from '../disk/data-folder-lock.ts';
import type { DiskMonitor } from '../disk/disk-monitor.ts';
import type { Clock } from '../domain/clock.ts';
import type { EventStreams } from '../events/event-streams.ts';
import type { Retention } from '../domain/retention.ts';
import type { MediaInspector } from '../media/inspector.ts';
import type { Job } from './job-runner.ts';
import type { MediaOwnership } from './media-ownership.ts';

export interface JobDeps {
  /** Those of alerts, rollouts and renditions, which have jobs for all nodes and for the leader. */
  moreJobs: readonly Job[];
  database: CloudDatabase;
  blobs: BlobStore;
  uploadFiles: UploadFiles;
  mediaOwnership: Pick<MediaOwnership, 'mayDelete'>;
  /** Makes assets of uploads that a crash or a failure has left. */
  finishUploads: () => Promise<void>;
  clock: Clock;
  retention: Retention;
  inspector: MediaInspector;
  log: Logger;
  /** Closes connections that exceeded a timeout. */
  sweepConnections: () => Promise<void>;
  /** Marks devices as offline that have not been seen for too long. */
  sweepPresence: () => Promise<void>;
  recordCommandEvent: (tx: Transaction, type: 'command.finished', command: Row<'commands'>) => void;
  wakeDispatcher: () => void;
  wakeOperations: () => void;
  eventStreams: Pick<EventStreams, 'wake' | 'keepAlive'>;
  disk: Pick<DiskMonitor, 'refresh' | 'status'>;
  lock: Pick<DataFolderLock, 'check'>;
  /** Called when a full disk accepts writes again. */
  onDiskRecovered: () => void;
  /** Stores when API keys were last used. */
  flushKeyUsage: () => Promise<void>;
  /** Reads again what manifests are built from. */
  reloadManifests: () => Promise<void>;
}
