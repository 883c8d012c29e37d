import type { ColumnDefinitionBuilder, CreateTableBuilder, Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';
import { addRowIds } from './row-ids.ts';

interface Column {
  type: 'text' | 'bigint' | 'double precision';
  build: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
}

const text: Column = { type: 'text', build: (c) => c.notNull() };
const nullableText: Column = { type: 'text', build: (c) => c };
const integer: Column = { type: 'bigint', build: (c) => c.notNull() };
const nullableInteger: Column = { type: 'bigint', build: (c) => c };
const nullableReal: Column = { type: 'double precision', build: (c) => c };
const primaryId: Column = { type: 'text', build: (c) => c.primaryKey().notNull() };
/** Deleted with the referenced row. */
const cascadingReference = (table: string): Column => ({
  type: 'text',
  build: (c) => c.notNull().references(`${table}.id`).onDelete('cascade'),
});
/** Prevents deletion of the referenced row. */
const reference = (table: string): Column => ({
  type: 'text',
  build: (c) => c.notNull().references(`${table}.id`),
});
const nullableReference = (table: string): Column => ({
  type: 'text',
  build: (c) => c.references(`${table}.id`),
});
/** Set to null when the referenced row is deleted. */
const referenceSetNull = (table: string): Column => ({
  type: 'text',
  build: (c) => c.references(`${table}.id`).onDelete('set null'),
});
const timestamps = { created_at: integer, updated_at: integer };

interface Table {
  columns: Record<string, Column>;
  /** For several columns; a single key column uses `primaryId`. */
  primaryKey?: string[];
  indexes?: string[][];
  unique?: string[][];
}

const measures = Object.fromEntries(
  ['cpu', 'memory', 'disk', 'temperature', 'wifi'].flatMap((name) => [
    [`${name}_count`, integer],
    [`${name}_sum`, nullableReal],
    [`${name}_min`, nullableReal],
    [`${name}_max`, nullableReal],
  ]),
);

/** Ordered so that each table references only earlier ones. */
const TABLES: Record<string, Table> = {
  organization: { columns: { id: primaryId, name: text, timezone: text, epoch: integer, ...timestamps } },
  api_keys: {
    columns: {
      id: primaryId,
      name: text,
      scope: text,
      hash: text,
      created_at: integer,
      expires_at: nullableInteger,
      last_used_at: nullableInteger,
    },
    unique: [['hash']],
  },
  folders: {
    columns: { id: primaryId, name: text, parent_id: nullableReference('folders'), ...timestamps },
    indexes: [['parent_id']],
  },
  assets: {
    columns: {
      id: primaryId,
      name: text,
      type: text,
      format: text,
      width: integer,
      height: integer,
      size: integer,
      duration: nullableReal,
      sha256: text,
      thumbnail: nullableText,
      folder_id: nullableReference('folders'),
      ...timestamps,
    },
    indexes: [['created_at', 'id'], ['sha256'], ['thumbnail'], ['folder_id']],
  },
  asset_tags: {
    columns: { asset_id: cascadingReference('assets'), tag: text, position: integer },
    primaryKey: ['asset_id', 'tag'],
    indexes: [['tag']],
  },
  playlists: { columns: { id: primaryId, name: text, mode: text, ...timestamps } },
  playlist_items: {
    columns: {
      id: primaryId,
      playlist_id: cascadingReference('playlists'),
      content_id: cascadingReference('assets'),
      position: integer,
      duration: nullableInteger,
      weight: nullableInteger,
    },
    indexes: [['playlist_id', 'position'], ['content_id']],
  },
  schedules: { columns: { id: primaryId, name: text, is_active: integer, ...timestamps } },
  schedule_rules: {
    columns: {
      id: primaryId,
      schedule_id: cascadingReference('schedules'),
      position: integer,
      playlist_id: reference('playlists'),
      start_time: text,
      end_time: text,
      days: nullableText,
      rrule: nullableText,
      priority: integer,
      starts_on: nullableText,
      ends_on: nullableText,
      ...timestamps,
    },
    indexes: [['schedule_id', 'position'], ['playlist_id']],
  },
  schedule_targets: {
    columns: { schedule_id: cascadingReference('schedules'), position: integer, kind: text, ref: text },
    indexes: [
      ['schedule_id', 'position'],
      ['kind', 'ref'],
    ],
  },
  stores: {
    columns: {
      id: primaryId,
      name: text,
      address: nullableText,
      city: nullableText,
      region: nullableText,
      country: nullableText,
      contact: nullableText,
      timezone: nullableText,
      tags: text,
      ...timestamps,
    },
  },
  devices: {
    columns: {
      id: primaryId,
      name: text,
      type: text,
      platform: text,
      serial: text,
      store_id: referenceSetNull('stores'),
      orientation: text,
      status: text,
      player_version: text,
      hardware: nullableText,
      last_heartbeat: nullableInteger,
      last_seen: nullableInteger,
      clock_offset_ms: nullableInteger,
      manifest_revision: text,
      applied_manifest_revision: nullableText,
      current: nullableText,
      storage: nullableText,
      faults: nullableText,
      latest_sample: nullableText,
      ...timestamps,
    },
    indexes: [['created_at', 'id'], ['store_id'], ['status', 'last_seen']],
  },
  device_tags: {
    columns: { device_id: cascadingReference('devices'), tag: text, position: integer },
    primaryKey: ['device_id', 'tag'],
    indexes: [['tag']],
  },
  removed_devices: { columns: { id: primaryId, name: text, removed_at: integer } },
  device_tokens: {
    columns: {
      hash: primaryId,
      device_id: text,
      created_at: integer,
      first_used_at: nullableInteger,
      revoked_at: nullableInteger,
    },
    indexes: [['device_id']],
  },
  pairings: {
    columns: {
      id: primaryId,
      code: text,
      poll_token: nullableText,
      serial: text,
      request: text,
      created_at: integer,
      expires_at: integer,
      last_poll_at: nullableInteger,
      interval: integer,
      device_id: nullableText,
    },
    indexes: [['serial'], ['device_id']],
    unique: [['code']],
  },
  deployments: {
    columns: { id: primaryId, playlist_id: cascadingReference('playlists'), created_at: integer },
  },
  deployment_targets: {
    columns: { kind: text, ref: text, deployment_id: cascadingReference('deployments'), created_at: integer },
    primaryKey: ['kind', 'ref'],
    indexes: [['deployment_id']],
  },
  commands: {
    columns: {
      id: primaryId,
      device_id: text,
      command: text,
      status: text,
      created_at: integer,
      expires_at: integer,
      delivered_at: nullableInteger,
      acknowledged_at: nullableInteger,
      finished_at: nullableInteger,
      result: nullableText,
    },
    indexes: [
      ['device_id', 'status'],
      ['created_at', 'id'],
      ['status', 'expires_at'],
    ],
  },
  heartbeat_samples: {
    columns: { device_id: text, measured_at: integer, received_at: integer },
    primaryKey: ['device_id', 'measured_at'],
    indexes: [['received_at']],
  },
  heartbeat_buckets: {
    columns: { device_id: text, interval: text, bucket: integer, samples: integer, ...measures },
    primaryKey: ['device_id', 'interval', 'bucket'],
    indexes: [['interval', 'bucket']],
  },
  plays: {
    columns: {
      id: text,
      device_id: text,
      content_id: text,
      playlist_id: nullableText,
      schedule_id: nullableText,
      rule_id: nullableText,
      started_at: integer,
      ended_at: integer,
      duration_ms: integer,
      outcome: text,
      reason: nullableText,
      received_at: integer,
    },
    primaryKey: ['device_id', 'id'],
    indexes: [['started_at', 'id']],
  },
  play_hours: {
    columns: {
      bucket: integer,
      device_id: text,
      content_id: text,
      playlist_id: text,
      plays: integer,
      play_ms: integer,
      completed: integer,
      interrupted: integer,
      failed: integer,
    },
    primaryKey: ['bucket', 'device_id', 'content_id', 'playlist_id'],
  },
  online_spans: {
    columns: { device_id: text, started_at: integer, ended_at: nullableInteger },
    indexes: [['device_id', 'started_at'], ['ended_at']],
  },
  webhooks: {
    columns: {
      id: primaryId,
      url: text,
      events: text,
      is_active: integer,
      secret: text,
      disabled_reason: nullableText,
      ...timestamps,
    },
  },
  webhook_deliveries: {
    columns: {
      id: primaryId,
      webhook_id: cascadingReference('webhooks'),
      event_type: text,
      resource: text,
      payload: text,
      status: text,
      attempts: integer,
      next_attempt_at: nullableInteger,
      response_status: nullableInteger,
      error: nullableText,
      created_at: integer,
      finished_at: nullableInteger,
    },
    indexes: [
      ['webhook_id', 'created_at'],
      ['status', 'next_attempt_at'],
    ],
  },
  idempotent_answers: {
    columns: {
      key_id: text,
      idempotency_key: text,
      request_hash: text,
      status: integer,
      body: text,
      created_at: integer,
    },
    primaryKey: ['key_id', 'idempotency_key'],
    indexes: [['created_at']],
  },
};

export const first: Migration = {
  async up(db: Kysely<unknown>) {
    const { types } = engineOf(db);
    for (const [name, table] of Object.entries(TABLES)) {
      let builder: CreateTableBuilder<string, string> = db.schema.createTable(name);
      for (const [column, { type, build }] of Object.entries(table.columns)) {
        builder = builder.addColumn(column, type === 'text' ? types.text : type, build);
      }
      if (table.primaryKey) {
        builder = builder.addPrimaryKeyConstraint(`${name}_pk`, table.primaryKey);
      }
      await builder.execute();
      const index = (columns: string[]) =>
        db.schema
          .createIndex(`${name}_by_${columns.join('_')}`)
          .on(name)
          .columns(columns);
      for (const columns of table.indexes ?? []) {
        await index(columns).execute();
      }
      for (const columns of table.unique ?? []) {
        await index(columns).unique().execute();
      }
    }
    await addRowIds(db);
  },
};
