import type { DiskStatus } from '../disk/disk-monitor.ts';
import type { ConnectionCounts } from '../database/storage.ts';
import type { BackgroundCounts } from './background-counts.ts';

/** Where gauges are read from at a scrape: all of it is in memory, or one system call. */
export interface GaugeSources {
  version: string;
  nowMs: () => number;
  counts: Pick<BackgroundCounts, 'latest'>;
  /** Of screens, to this node. */
  sockets: () => { open: number; behind: number };
  /** Streams of events, to this node. */
  eventStreams: () => number;
  disk: () => DiskStatus;
  /** Null where the database is a file. */
  databaseConnections: (() => ConnectionCounts) | null;
  /** Why the bucket of the media files fails; null while it does not. */
  bucketFailure: (() => string | null) | null;
  isLeader: () => boolean;
}

export interface Reading {
  labels?: Record<string, string>;
  value: number;
}

export interface GaugeDefinition {
  name: string;
  help: string;
  labelNames?: string[];
  /** Empty while it is not known. */
  read: () => readonly Reading[];
}

const valueOf = (value: number | null | undefined): readonly Reading[] =>
  value === null || value === undefined ? [] : [{ value }];

const bit = (is: boolean): number => (is ? 1 : 0);

/** The gauges of a node. Those of the whole cloud, counted in the background, are the same on all of its nodes. */
export function gaugesOf(sources: GaugeSources): GaugeDefinition[] {
  return [...gaugesOfNode(sources), ...gaugesOfCloud(sources)];
}

function gaugesOfNode(sources: GaugeSources): GaugeDefinition[] {
  const { databaseConnections, bucketFailure } = sources;
  return [
    {
      name: 'placard_info',
      help: 'The version of this node.',
      labelNames: ['version'],
      read: () => [{ labels: { version: sources.version }, value: 1 }],
    },
    {
      name: 'placard_leader',
      help: '1 on the node that does what one at a time may do: webhooks, presence, retention.',
      read: () => valueOf(bit(sources.isLeader())),
    },
    {
      name: 'placard_sockets',
      help: 'Screens connected to this node.',
      read: () => valueOf(sources.sockets().open),
    },
    {
      name: 'placard_sockets_behind',
      help: 'Screens connected to this node whose last heartbeat reported another revision than they should have.',
      read: () => valueOf(sources.sockets().behind),
    },
    {
      name: 'placard_event_streams',
      help: 'Event streams (Server-Sent Events) open on this node.',
      read: () => valueOf(sources.eventStreams()),
    },
    {
      name: 'placard_disk_free_bytes',
      help: 'Free bytes on the disk of the data folder.',
      read: () => valueOf(sources.disk().freeBytes),
    },
    {
      name: 'placard_disk_floor_bytes',
      help: 'Uploads are refused when less than this is free (--min-free).',
      read: () => valueOf(sources.disk().minFreeBytes),
    },
    {
      name: 'placard_disk_low',
      help: '1 while uploads are refused because the disk is below its floor, or full.',
      read: () => valueOf(bit(sources.disk().state !== 'ok')),
    },
    {
      name: 'placard_disk_full',
      help: '1 while only reading and deleting work.',
      read: () => valueOf(bit(sources.disk().state === 'full')),
    },
    {
      name: 'placard_media_store_up',
      help: '1 while the bucket of the media files answers. Missing without a bucket.',
      read: () => (bucketFailure ? valueOf(bit(bucketFailure() === null)) : []),
    },
    {
      name: 'placard_database_connections',
      help: 'Connections of this node to PostgreSQL. Missing with SQLite.',
      labelNames: ['state'],
      read() {
        if (!databaseConnections) {
          return [];
        }
        const { inUse, idle } = databaseConnections();
        return [
          { labels: { state: 'in_use' }, value: inUse },
          { labels: { state: 'idle' }, value: idle },
        ];
      },
    },
    {
      name: 'placard_database_connection_waiters',
      help: 'What waits on this node for a connection to PostgreSQL. Missing with SQLite.',
      read: () => (databaseConnections ? valueOf(databaseConnections().waiting) : []),
    },
  ];
}

function gaugesOfCloud({ counts: background, nowMs }: GaugeSources): GaugeDefinition[] {
  type Latest = NonNullable<ReturnType<BackgroundCounts['latest']>>;
  const counted = (read: (latest: Latest) => number | null) => () => {
    const latest = background.latest();
    return valueOf(latest && read(latest));
  };
  /** Seconds since then; 0 when nothing waits, or nothing is late. */
  const age = (sinceMs: (latest: Latest) => number | null) =>
    counted((latest) => Math.max(0, (nowMs() - (sinceMs(latest) ?? nowMs())) / 1000));
  return [
    {
      name: 'placard_counts_age_seconds',
      help: 'How old the values are that are counted in the background: screens, assets, webhooks, commands, operations and the database.',
      read: counted(({ atMs }) => Math.max(0, (nowMs() - atMs) / 1000)),
    },
    {
      name: 'placard_screens',
      help: 'Paired screens, by state.',
      labelNames: ['state'],
      read() {
        const latest = background.latest();
        return latest
          ? [
              { labels: { state: 'online' }, value: latest.counts.online },
              { labels: { state: 'offline' }, value: latest.counts.offline },
            ]
          : [];
      },
    },
    {
      name: 'placard_screens_with_faults',
      help: 'Screens whose last heartbeat reported at least one fault, online or not.',
      read: counted(({ counts }) => counts.withFaults),
    },
    {
      name: 'placard_assets',
      help: 'Assets of the organization.',
      read: counted(({ counts }) => counts.assets),
    },
    {
      name: 'placard_asset_bytes',
      help: 'Size of all assets. The same bytes uploaded twice count twice here, and are stored once.',
      read: counted(({ counts }) => counts.assetBytes),
    },
    {
      name: 'placard_webhooks',
      help: 'Webhooks, by state.',
      labelNames: ['state'],
      read() {
        const latest = background.latest();
        return latest
          ? [
              { labels: { state: 'active' }, value: latest.counts.activeWebhooks },
              { labels: { state: 'disabled' }, value: latest.counts.disabledWebhooks },
            ]
          : [];
      },
    },
    {
      name: 'placard_webhook_deliveries_pending',
      help: 'Webhook deliveries that wait for their first or next attempt, also those of disabled webhooks.',
      read: counted(({ counts }) => counts.pendingDeliveries),
    },
    {
      name: 'placard_webhook_oldest_event_age_seconds',
      help: 'Age of the oldest event that an active webhook has not got yet. 0 without one.',
      read: age(({ counts }) => counts.oldestUndeliveredMs),
    },
    {
      name: 'placard_webhook_overdue_seconds',
      help: 'How long the delivery of an active webhook that is due for longest has waited for its attempt. 0 without one.',
      read: age(({ counts }) => counts.earliestDueMs),
    },
    {
      name: 'placard_commands_pending',
      help: 'Commands that their screen has not acknowledged.',
      read: counted(({ counts }) => counts.pendingCommands),
    },
    {
      name: 'placard_command_oldest_age_seconds',
      help: 'Age of the oldest command that its screen has not acknowledged. 0 without one.',
      read: age(({ counts }) => counts.oldestCommandMs),
    },
    {
      name: 'placard_operations',
      help: 'Operations on many screens that have not finished, by state.',
      labelNames: ['state'],
      read() {
        const latest = background.latest();
        return latest
          ? [
              { labels: { state: 'selecting' }, value: latest.counts.selectingOperations },
              { labels: { state: 'running' }, value: latest.counts.runningOperations },
            ]
          : [];
      },
    },
    {
      name: 'placard_operation_results_pending',
      help: 'Screens of operations that have not finished, without a result yet.',
      read: counted(({ counts }) => counts.pendingResults),
    },
    {
      name: 'placard_operation_oldest_age_seconds',
      help: 'Age of the oldest operation that has not finished. 0 without one.',
      read: age(({ counts }) => counts.oldestOperationMs),
    },
    {
      name: 'placard_database_size_bytes',
      help: 'Size of the database, its free pages included.',
      read: counted(({ size }) => size.bytes),
    },
    {
      name: 'placard_database_free_bytes',
      help: 'Free pages of the database file, which it fills before it grows. Missing with PostgreSQL.',
      read: counted(({ size }) => size.freeBytes),
    },
    {
      name: 'placard_database_journal_bytes',
      help: 'Size of the write-ahead log of SQLite. Missing with PostgreSQL.',
      read: counted(({ size }) => size.walBytes),
    },
  ];
}
