import type { ColumnDefinitionBuilder, CreateTableBuilder, Kysely, Migration } from 'kysely';

interface Column {
  type: 'text' | 'bigint' | 'double precision';
  build: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
}

const text: Column = { type: 'text', build: (c) => c.notNull() };
const maybeText: Column = { type: 'text', build: (c) => c };
const whole: Column = { type: 'bigint', build: (c) => c.notNull() };
const maybeWhole: Column = { type: 'bigint', build: (c) => c };
const maybeReal: Column = { type: 'double precision', build: (c) => c };
const key: Column = { type: 'text', build: (c) => c.primaryKey().notNull() };
/** Goes away with what it belongs to. */
const partOf = (table: string): Column => ({
  type: 'text',
  build: (c) => c.notNull().references(`${table}.id`).onDelete('cascade'),
});
/** Keeps what it names from going away. */
const uses = (table: string): Column => ({
  type: 'text',
  build: (c) => c.notNull().references(`${table}.id`),
});
const mayUse = (table: string): Column => ({ type: 'text', build: (c) => c.references(`${table}.id`) });
/** Is emptied when what it names goes away. */
const mayPointTo = (table: string): Column => ({
  type: 'text',
  build: (c) => c.references(`${table}.id`).onDelete('set null'),
});
const stamps = { created_at: whole, updated_at: whole };

interface Table {
  columns: Record<string, Column>;
  /** Of several columns; one column is marked as `key`. */
  primaryKey?: string[];
  indexes?: string[][];
  unique?: string[][];
}

const measures = Object.fromEntries(
  ['cpu', 'memory', 'disk', 'temperature', 'wifi'].flatMap((name) => [
    [`${name}_count`, whole],
    [`${name}_sum`, maybeReal],
    [`${name}_min`, maybeReal],
    [`${name}_max`, maybeReal],
  ]),
);

/** In an order in which each names only those before it. */
const TABLES: Record<string, Table> = {
  organization: { columns: { id: key, name: text, timezone: text, epoch: whole, ...stamps } },
  api_keys: {
    columns: {
      id: key,
      name: text,
      scope: text,
      hash: text,
      created_at: whole,
      expires_at: maybeWhole,
      last_used_at: maybeWhole,
    },
    unique: [['hash']],
  },
  folders: {
    columns: { id: key, name: text, parent_id: mayUse('folders'), ...stamps },
    indexes: [['parent_id']],
  },
  assets: {
    columns: {
      id: key,
      name: text,
      type: text,
      format: text,
      width: whole,
      height: whole,
      size: whole,
      duration: maybeReal,
      sha256: text,
      thumbnail: maybeText,
      folder_id: mayUse('folders'),
      ...stamps,
    },
    indexes: [['created_at', 'id'], ['sha256'], ['thumbnail'], ['folder_id']],
  },
  asset_tags: {
    columns: { asset_id: partOf('assets'), tag: text, position: whole },
    primaryKey: ['asset_id', 'tag'],
    indexes: [['tag']],
  },
  playlists: { columns: { id: key, name: text, mode: text, ...stamps } },
  playlist_items: {
    columns: {
      id: key,
      playlist_id: partOf('playlists'),
      content_id: partOf('assets'),
      position: whole,
      duration: maybeWhole,
      weight: maybeWhole,
    },
    indexes: [['playlist_id', 'position'], ['content_id']],
  },
  schedules: { columns: { id: key, name: text, is_active: whole, ...stamps } },
  schedule_rules: {
    columns: {
      id: key,
      schedule_id: partOf('schedules'),
      position: whole,
      playlist_id: uses('playlists'),
      start_time: text,
      end_time: text,
      days: maybeText,
      rrule: maybeText,
      priority: whole,
      starts_on: maybeText,
      ends_on: maybeText,
      ...stamps,
    },
    indexes: [['schedule_id', 'position'], ['playlist_id']],
  },
  schedule_targets: {
    columns: { schedule_id: partOf('schedules'), position: whole, kind: text, ref: text },
    indexes: [
      ['schedule_id', 'position'],
      ['kind', 'ref'],
    ],
  },
  stores: {
    columns: {
      id: key,
      name: text,
      address: maybeText,
      city: maybeText,
      region: maybeText,
      country: maybeText,
      contact: maybeText,
      timezone: maybeText,
      tags: text,
      ...stamps,
    },
  },
  devices: {
    columns: {
      id: key,
      name: text,
      type: text,
      platform: text,
      serial: text,
      store_id: mayPointTo('stores'),
      orientation: text,
      status: text,
      player_version: text,
      hardware: maybeText,
      last_heartbeat: maybeWhole,
      last_seen: maybeWhole,
      clock_offset_ms: maybeWhole,
      manifest_revision: text,
      applied_manifest_revision: maybeText,
      current: maybeText,
      storage: maybeText,
      faults: maybeText,
      latest_sample: maybeText,
      ...stamps,
    },
    indexes: [['created_at', 'id'], ['store_id'], ['status', 'last_seen']],
  },
  device_tags: {
    columns: { device_id: partOf('devices'), tag: text, position: whole },
    primaryKey: ['device_id', 'tag'],
    indexes: [['tag']],
  },
  removed_devices: { columns: { id: key, name: text, removed_at: whole } },
  device_tokens: {
    columns: {
      hash: key,
      device_id: text,
      created_at: whole,
      first_used_at: maybeWhole,
      revoked_at: maybeWhole,
    },
    indexes: [['device_id']],
  },
  pairings: {
    columns: {
      id: key,
      code: text,
      poll_token: maybeText,
      serial: text,
      request: text,
      created_at: whole,
      expires_at: whole,
      last_poll_at: maybeWhole,
      interval: whole,
      device_id: maybeText,
    },
    indexes: [['serial'], ['device_id']],
    unique: [['code']],
  },
  deployments: { columns: { id: key, playlist_id: partOf('playlists'), created_at: whole } },
  deployment_targets: {
    columns: { kind: text, ref: text, deployment_id: partOf('deployments'), created_at: whole },
    primaryKey: ['kind', 'ref'],
    indexes: [['deployment_id']],
  },
  commands: {
    columns: {
      id: key,
      device_id: text,
      command: text,
      status: text,
      created_at: whole,
      expires_at: whole,
      delivered_at: maybeWhole,
      acknowledged_at: maybeWhole,
      finished_at: maybeWhole,
      result: maybeText,
    },
    indexes: [
      ['device_id', 'status'],
      ['created_at', 'id'],
      ['status', 'expires_at'],
    ],
  },
  heartbeat_samples: {
    columns: { device_id: text, measured_at: whole, received_at: whole },
    primaryKey: ['device_id', 'measured_at'],
    indexes: [['received_at']],
  },
  heartbeat_buckets: {
    columns: { device_id: text, interval: text, bucket: whole, samples: whole, ...measures },
    primaryKey: ['device_id', 'interval', 'bucket'],
    indexes: [['interval', 'bucket']],
  },
  plays: {
    columns: {
      id: text,
      device_id: text,
      content_id: text,
      playlist_id: maybeText,
      schedule_id: maybeText,
      rule_id: maybeText,
      started_at: whole,
      ended_at: whole,
      duration_ms: whole,
      outcome: text,
      reason: maybeText,
      received_at: whole,
    },
    primaryKey: ['device_id', 'id'],
    indexes: [['started_at', 'id']],
  },
  play_hours: {
    columns: {
      bucket: whole,
      device_id: text,
      content_id: text,
      playlist_id: text,
      plays: whole,
      play_ms: whole,
      completed: whole,
      interrupted: whole,
      failed: whole,
    },
    primaryKey: ['bucket', 'device_id', 'content_id', 'playlist_id'],
  },
  online_spans: {
    columns: { device_id: text, started_at: whole, ended_at: maybeWhole },
    indexes: [['device_id', 'started_at'], ['ended_at']],
  },
  webhooks: {
    columns: {
      id: key,
      url: text,
      events: text,
      is_active: whole,
      secret: text,
      disabled_reason: maybeText,
      ...stamps,
    },
  },
  webhook_deliveries: {
    columns: {
      id: key,
      webhook_id: partOf('webhooks'),
      event_type: text,
      resource: text,
      payload: text,
      status: text,
      attempts: whole,
      next_attempt_at: maybeWhole,
      response_status: maybeWhole,
      error: maybeText,
      created_at: whole,
      finished_at: maybeWhole,
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
      status: whole,
      body: text,
      created_at: whole,
    },
    primaryKey: ['key_id', 'idempotency_key'],
    indexes: [['created_at']],
  },
};

export const first: Migration = {
  async up(db: Kysely<unknown>) {
    for (const [name, table] of Object.entries(TABLES)) {
      let builder: CreateTableBuilder<string, string> = db.schema.createTable(name);
      for (const [column, { type, build }] of Object.entries(table.columns))
        builder = builder.addColumn(column, type, build);
      if (table.primaryKey) builder = builder.addPrimaryKeyConstraint(`${name}_pk`, table.primaryKey);
      await builder.execute();
      const index = (columns: string[]) =>
        db.schema
          .createIndex(`${name}_by_${columns.join('_')}`)
          .on(name)
          .columns(columns);
      for (const columns of table.indexes ?? []) await index(columns).execute();
      for (const columns of table.unique ?? []) await index(columns).unique().execute();
    }
  },
};
