import { MEASURES } from '../database/schema.ts';
import type { DatabaseSchema, PostgresTable } from '../database/schema.ts';

/** How the rows of a table are moved. */
export interface MovedTable<Column extends string = string> {
  /** Identifies a row on both engines. Rows are read in this order, which an index has. */
  key: readonly Column[];
  /** Columns with measurements, which the engines store differently. */
  measures?: readonly Column[];
  /** The view of SQLite that has all of its rows. */
  view?: string;
  /** Its rows may be there already, made by a migration or by triggers, and are replaced. */
  isSeeded?: true;
  /** Rows refer to each other, so that all are written with one statement. There are at most 10,000. */
  isOneBatch?: true;
}

interface Schema extends Omit<DatabaseSchema, PostgresTable> {
  /** Counted by triggers; read by the statements of credentials only. */
  credential_epoch: { id: number; epoch: number };
}

/** All tables of a cloud on SQLite; a row refers to rows of tables before its own. A new table is added here. */
const TABLES: { readonly [T in keyof Schema]: MovedTable<(keyof Schema[T] & string) | 'rowid'> } = {
  organization: { key: ['id'] },
  api_keys: { key: ['id'] },
  credential_epoch: { key: ['id'], isSeeded: true },
  audit_log: { key: ['id'] },
  audit_retention: { key: ['id'], isSeeded: true },
  folders: { key: ['id'], isOneBatch: true },
  assets: { key: ['id'] },
  renditions: { key: ['content_id', 'kind'] },
  asset_tags: { key: ['asset_id', 'tag'] },
  playlists: { key: ['id'] },
  playlist_items: { key: ['id'] },
  schedules: { key: ['id'] },
  schedule_rules: { key: ['id'] },
  schedule_targets: { key: ['schedule_id', 'position', 'kind', 'ref'] },
  stores: { key: ['id'] },
  users: { key: ['id'] },
  user_stores: { key: ['user_id', 'store_id'] },
  sessions: { key: ['id'] },
  user_accounts: { key: ['id'] },
  passkeys: { key: ['id'] },
  second_factors: { key: ['id'] },
  sign_in_steps: { key: ['id'] },
  invitations: { key: ['id'] },
  sign_in_secret: { key: ['id'] },
  device_live: { key: ['device'] },
  devices: { key: ['id'] },
  device_count: { key: ['id'], isSeeded: true },
  device_faults: { key: ['device', 'code'] },
  device_tags: { key: ['device_id', 'tag'] },
  // The triggers of the tables above have counted already.
  tag_counts: { key: ['tag'], isSeeded: true },
  removed_devices: { key: ['id'] },
  device_tokens: { key: ['hash'] },
  pairings: { key: ['id'] },
  deployments: { key: ['id'] },
  deployment_targets: { key: ['kind', 'ref'] },
  commands: { key: ['id'] },
  screenshots: { key: ['device_id'] },
  fault_screenshots: { key: ['device_id', 'fault_code'] },
  device_logs: { key: ['device_id'] },
  bulk_operations: { key: ['id'] },
  bulk_results: { key: ['operation_id', 'position'] },
  rollouts: { key: ['id'] },
  rollout_devices: { key: ['rollout_id', 'position'] },
  samples: { key: ['device', 'at'], measures: MEASURES, view: 'all_samples' },
  heartbeat_samples: { key: ['device_id', 'measured_at'] },
  heartbeat_buckets: { key: ['device_id', 'interval', 'bucket'] },
  plays: { key: ['device_id', 'id'] },
  play_hours: { key: ['bucket', 'device_id', 'content_id', 'playlist_id'] },
  play_days: { key: ['bucket', 'device_id', 'content_id', 'playlist_id'] },
  online_spans: { key: ['device_id', 'started_at', 'rowid'] },
  observed_spans: { key: ['started_at'] },
  alert_rules: { key: ['id'] },
  alert_matches: { key: ['rule_id', 'device_id'] },
  alerts: { key: ['id'] },
  alert_devices: { key: ['alert_id', 'device_id'] },
  alert_mutes: { key: ['id'] },
  alert_mails: { key: ['alert_id', 'recipient', 'step'] },
  webhooks: { key: ['id'] },
  webhook_deliveries: { key: ['id'] },
  events: { key: ['seq'] },
  uploads: { key: ['id'] },
  upload_parts: { key: ['upload_id', 'start'] },
  idempotent_answers: { key: ['key_id', 'idempotency_key'] },
};

export const MOVED_TABLES: ReadonlyMap<string, MovedTable> = new Map(Object.entries(TABLES));

/** A column of a table on PostgreSQL. SQLite has the same, and `rowid` without naming it. */
export interface MovedColumn {
  name: string;
  type: 'text' | 'bigint' | 'double precision';
}

export type MovedValue = string | number | null;

/** Values of the columns that identify a row. */
export type RowKey = readonly MovedValue[];

/** For messages: `device_id=dev_1, id=play_2`. */
export const describeKey = ({ key }: MovedTable, values: RowKey): string =>
  key.map((column, index) => `${column}=${values[index]}`).join(', ');
