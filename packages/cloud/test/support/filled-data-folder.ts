import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { blobPath } from '../../src/blob/blob-files.ts';
import { openDatabase } from '../../src/database/open-database.ts';

export interface FilledSizes {
  devices: number;
  plays: number;
  /** Files of equal size, each of an asset of its own. */
  mediaFiles: number;
  bytesPerFile: number;
}

/** Rows of one `n` each, from 0; `dev` and the others are ids of that number. */
const ROWS: readonly [table: string, count: keyof FilledSizes | number, columns: string, values: string][] = [
  ['organization', 1, 'id, name, timezone, epoch, created_at, updated_at', `'org_1', 'Acme', 'UTC', 7, 1, 2`],
  ['api_keys', 3, 'id, name, scope, hash, created_at', `'key_' || n, 'Key', 'Read', 'hash' || n, n`],
  [
    'audit_log',
    50,
    'id, created_at, actor_type, actor_name, action, resource_type, resource_id, changes',
    `'audit_' || n, n, 'api_key', 'Key', 'device.updated', 'device', 'dev', '[]'`,
  ],
  // Below, the first is moved into the last.
  [
    'folders',
    'devices',
    'id, name, parent_id, created_at, updated_at',
    `'folder_' || printf('%08d', n), 'F', null, n, n`,
  ],
  ['asset_tags', 'mediaFiles', 'asset_id, tag, position', `'asset_' || n, 'Größe', 0`],
  ['playlists', 20, 'id, name, mode, created_at, updated_at', `'pl_' || n, 'P', 'shuffle', n, n`],
  [
    'playlist_items',
    200,
    'id, playlist_id, content_id, position, duration, weight',
    `'item_' || n, 'pl_' || (n % 20), 'asset_0', n, iif(n % 2, n, null), null`,
  ],
  ['schedules', 5, 'id, name, is_active, created_at, updated_at', `'sch_' || n, 'S', n % 2, n, n`],
  [
    'schedule_rules',
    10,
    'id, schedule_id, position, playlist_id, start_time, end_time, priority, created_at, updated_at',
    `'rule_' || n, 'sch_' || (n % 5), n, 'pl_' || n, '08:00', '18:00', 5, n, n`,
  ],
  [
    'schedule_targets',
    10,
    'schedule_id, position, kind, ref',
    `'sch_' || (n % 5), n / 5, 'device', 'dev' || n`,
  ],
  ['stores', 10, 'id, name, tags, created_at, updated_at', `'store_' || n, 'S', '[]', n, n`],
  [
    'users',
    4,
    'id, name, email, email_verified, role, all_stores, has_totp, created_at, updated_at',
    `'usr_' || n, 'P', 'p' || n || '@example.com', 1, 'Editor', n % 2, 0, n, n`,
  ],
  ['user_stores', 4, 'user_id, store_id', `'usr_' || n, 'store_' || n`],
  [
    'sessions',
    4,
    'id, user_id, token_hash, created_at, updated_at, expires_at, last_used_at',
    `'ses_' || n, 'usr_' || n, 'hash' || n, n, n, n, n`,
  ],
  [
    'user_accounts',
    4,
    'id, user_id, provider, account_id, password, created_at, updated_at',
    `'acc_' || n, 'usr_' || n, 'credential', 'usr_' || n, 'hash', n, n`,
  ],
  [
    'passkeys',
    2,
    'id, user_id, public_key, credential_id, counter, device_type, backed_up, created_at',
    `'pk_' || n, 'usr_' || n, 'key', 'cred' || n, n, 'singleDevice', 0, n`,
  ],
  [
    'second_factors',
    2,
    'id, user_id, secret, backup_codes, verified, failures',
    `'sf_' || n, 'usr_' || n, 'secret', '[]', 1, 0`,
  ],
  [
    'sign_in_steps',
    2,
    'id, identifier, value, expires_at, created_at, updated_at',
    `'step_' || n, 'i', 'v', n, n, n`,
  ],
  [
    'invitations',
    2,
    'id, token_hash, role, created_by, created_at, expires_at',
    `'inv_' || n, 'hash' || n, 'Viewer', 'usr_0', n, n`,
  ],
  ['sign_in_secret', 1, 'id, secret', `1, 'secret'`],
  [
    'uploads',
    3,
    `id, actor_type, actor_id, actor_name, address, request_id, metadata, size, received, state, created_at,
      updated_at, expires_at, busy_until`,
    `'upl_' || n, 'api_key', 'key_1', 'Key', '', '', '{}', 9, 3, 'open', n, n, n, 0`,
  ],
  ['upload_parts', 3, 'upload_id, start, size, name', `'upl_' || n, 0, 3, 'part'`],
  [
    'device_live',
    'devices',
    'device, online, rolled_up_until, last_seen, current, faults, recent_samples',
    // The first number was of a device that is gone.
    `n + 2, n % 2, n * 1000, n * 1700000000, '{"showing":"' || n || '"}', '[{"code":"disk.full"}]',
      iif(n % 3, null, '[[' || (n + 10000) || ',' || n || ',null,null,null,-601]]')`,
  ],
  [
    'bulk_operations',
    3,
    `id, action, status, total, succeeded, failed, told_at, actor_type, actor_id, actor_name, address, request_id, created_at`,
    `'op_' || n, '{"type":"command"}', 'finished', 2, 2, 0, n, 'api_key', 'key_1', 'Key', '', '', n`,
  ],
  [
    'bulk_results',
    6,
    'operation_id, position, device_id, status',
    `'op_' || (n / 2), n % 2, 'dev', 'succeeded'`,
  ],
  [
    'rollouts',
    2,
    `id, version, filter, rings, hold_hours, status, ring, looks, compared, fleet, self_updating, actor_type, actor_id, actor_name,
      address, request_id, created_at`,
    `'rollout_' || n, '1.4.0', '{}', '[1,100]', 168, 'stopped', 1, 3, 2, 4, 0, 'api_key', 'key_1', 'Key', '', '', n`,
  ],
  [
    'rollout_devices',
    4,
    'rollout_id, position, device_id, ring, kind, from_version, status, health_before',
    `'rollout_' || (n % 2), n / 2, 'dev' || n, 1, 'NUC with electron', '1.3.0', 'waiting', '{"shell":"electron"}'`,
  ],
  [
    'alert_rules',
    2,
    'id, name, condition, filter, is_active, created_at, updated_at',
    `'arule_' || n, 'Offline', '{"type":"offline","minutes":10}', '{}', 1, n, n`,
  ],
  [
    'alert_matches',
    4,
    'rule_id, device_id, since, detail',
    `'arule_' || (n % 2), 'dev_' || n, n, 'revision'`,
  ],
  [
    'alerts',
    4,
    `id, rule_id, rule_name, condition, kind, ref, status, devices, affected, created_at, resolved_at, resolved_because`,
    `'alert_' || n, 'arule_0', 'Offline', '{"type":"offline","minutes":10}', 'store', 'store_' || n, 'open', 2, 2, n,
      null, null`,
  ],
  [
    'alert_devices',
    8,
    'alert_id, device_id, position, joined_at, over_since',
    `'alert_' || (n / 2), 'dev_' || n, n % 2 + 1, n, iif(n % 2, n, null)`,
  ],
  [
    'alert_mails',
    4,
    'alert_id, step, recipient, language, status, attempts, created_at, finished_at',
    `'alert_' || n, 'opened', 'a@example.com', 'de', 'sent', 1, n, n`,
  ],
  [
    'alert_mutes',
    2,
    'id, kind, ref, until, created_at',
    `'amute_' || n, 'store', 'store_' || n, 1700000000000 + n, n`,
  ],
  ['device_faults', 'devices', 'device, code', `n + 2, 'disk.full'`],
  [
    'devices',
    'devices',
    `id, name, type, platform, serial, store_id, orientation, status, player_version, created_at, updated_at, number`,
    `'dev_' || printf('%08d', n), 'Écran ' || n, 'pc', 'linux', 'S' || n, 'store_' || (n % 10), 'landscape',
      'offline', '0.1.0', n, n, n + 2`,
  ],
  ['device_tags', 'devices', 'device_id, tag, position', `'dev_' || printf('%08d', n), 'tag' || (n % 7), 0`],
  ['removed_devices', 4, 'id, name, removed_at', `'gone_' || n, 'Gone', n`],
  ['device_tokens', 'devices', 'hash, device_id, created_at', `'token' || n, 'dev_' || printf('%08d', n), n`],
  [
    'pairings',
    5,
    'id, code, serial, request, created_at, expires_at, interval',
    `'pair_' || n, 'C' || n, 'S', '{}', n, n, 5`,
  ],
  ['deployments', 20, 'id, playlist_id, created_at', `'dep_' || n, 'pl_' || n, n`],
  ['deployment_targets', 20, 'kind, ref, deployment_id, created_at', `'device', 'dev' || n, 'dep_' || n, n`],
  [
    'commands',
    'devices',
    'id, device_id, command, status, created_at, expires_at',
    `'cmd_' || n, 'dev_' || printf('%08d', n), 'REFRESH', 'succeeded', n, n`,
  ],
  // Tenths, a value that is none, and none at all.
  ['samples', 'devices', 'device, at, cpu, memory, disk', `n + 2, n, n, n + 0.25, null`],
  ['heartbeat_samples', 'devices', 'device_id, measured_at, received_at', `'dev_' || n, n, n`],
  [
    'heartbeat_buckets',
    'devices',
    `device_id, interval, bucket, samples, cpu_count, cpu_sum, cpu_min, cpu_max, memory_count, disk_count,
      temperature_count, wifi_count`,
    `'dev_' || n, 'hour', 3600000, 3, 3, n / 3.0, 0.1, 0.7, 0, 0, 0, 0`,
  ],
  [
    'plays',
    'plays',
    'id, device_id, content_id, playlist_id, started_at, ended_at, duration_ms, outcome, received_at',
    `'play_' || printf('%016x', n), 'dev_' || printf('%08d', n % @devices), 'asset_' || (n % @mediaFiles), 'pl_1',
      1700000000000 + n * 10, 1700000010000 + n * 10, 10000, 'completed', 1700000020000 + n`,
  ],
  ...(['play_hours', 'play_days'] as const).map((table): [string, keyof FilledSizes, string, string] => [
    table,
    'devices',
    'bucket, device_id, content_id, playlist_id, plays, play_ms, completed, interrupted, failed',
    `86400000, 'dev_' || n, 'asset_0', '', 6, 60000, 6, 0, 0`,
  ]),
  [
    'online_spans',
    'devices',
    'device_id, started_at, ended_at',
    `'dev_' || (n % 5), n / 10, iif(n % 3, n, null)`,
  ],
  ['observed_spans', 3, 'started_at, ended_at', `n * 100, n * 100 + 50`],
  [
    'webhooks',
    2,
    'id, url, events, is_active, secret, created_at, updated_at',
    `'hook_' || n, 'https://example.com', '[]', 1, 'secret', n, n`,
  ],
  [
    'webhook_deliveries',
    100,
    'id, webhook_id, event_type, resource, payload, bytes, seq, status, attempts, created_at',
    `'del_' || n, 'hook_' || (n % 2), 'device.online', 'dev_1', '{"a":"' || hex(randomblob(100)) || '"}', 208, n,
      'succeeded', 1, n`,
  ],
  [
    'events',
    100,
    'seq, id, type, resource, end_offset, created_at, data',
    `n + 1, 'evt_' || n, 'device.online', 'dev_1', 2 * n + 2, n, '{}'`,
  ],
  [
    'idempotent_answers',
    10,
    'key_id, idempotency_key, request_hash, status, body, created_at',
    `'key_1', 'once' || n, 'hash', 201, '{}', n`,
  ],
];

/** Makes the data folder of a stopped cloud that has rows in every table, and its media files. */
export async function createFilledDataFolder(dataDir: string, sizes: FilledSizes): Promise<void> {
  await (await openDatabase(dataDir)).destroy();
  const database = new Sqlite(join(dataDir, 'cloud.sqlite'));
  // The folder is an input of the test, not its subject.
  database.pragma('synchronous = OFF');
  const hashes = writeMedia(join(dataDir, 'blobs'), sizes);
  database.transaction(() => {
    const insertAsset = database.prepare(
      `insert into assets (id, name, type, format, width, height, size, duration, sha256, thumbnail, created_at, updated_at)
       values (?, ?, 'video', 'mp4', 1920, 1080, ?, 12.04, ?, ?, ?, ?)`,
    );
    for (const [n, sha256] of hashes.entries()) {
      // All videos look alike.
      const thumbnail = n === 0 ? null : `${hashes[0]}.webp`;
      insertAsset.run(`asset_${n}`, `Video ${n}`, sizes.bytesPerFile, sha256, thumbnail, n, n);
    }
    for (const [table, count, columns, values] of ROWS) {
      const rows = typeof count === 'number' ? count : sizes[count];
      database
        .prepare(
          `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < @rows)
           insert into ${table} (${columns}) select ${values} from numbers`,
        )
        .run({ rows, devices: sizes.devices, mediaFiles: sizes.mediaFiles });
    }
    database.exec(`update folders set parent_id = (select max(id) from folders) where id = 'folder_00000000';
      update audit_retention set delete_before = 5;
      insert into screenshots (device_id, taken_at, received_at, sha256, size)
        select devices.id, 1, 2, sha256, size from devices, assets where assets.id = 'asset_0' limit 3;
      insert into fault_screenshots (device_id, fault_code, taken_at, received_at, sha256, size)
        select devices.id, 'disk.full', 1, 2, sha256, size from devices, assets where assets.id = 'asset_0' limit 3;
      insert into device_logs (device_id, taken_at, received_at, sha256, size, files)
        select devices.id, 1, 2, sha256, size, '[]' from devices, assets where assets.id = 'asset_0' limit 3;
      insert into renditions (content_id, kind, source_sha256, state, attempts, sha256, size, format, width, height,
          duration, created_at, updated_at)
        select id, 'h264_1080p30', sha256, 'ready', 1, sha256, size, 'mp4', 1920, 1080, 12.04, 1, 2 from assets where id = 'asset_0';
      insert into device_live (device) values (${sizes.devices + 10});
      delete from device_live where device = ${sizes.devices + 10}`);
  })();
  database.close();
}

/** Returns the hashes of the files. */
function writeMedia(blobsDir: string, { mediaFiles, bytesPerFile }: FilledSizes): string[] {
  const chunk = randomBytes(Math.min(bytesPerFile, 1_048_576));
  mkdirSync(blobsDir, { recursive: true });
  return Array.from({ length: mediaFiles }, (_, n) => {
    const part = join(blobsDir, 'part');
    const hash = createHash('sha256');
    const file = openSync(part, 'w');
    chunk.writeUInt32LE(n);
    for (let left = bytesPerFile; left > 0; left -= chunk.length) {
      const bytes = chunk.subarray(0, left);
      hash.update(bytes);
      writeSync(file, bytes);
    }
    closeSync(file);
    const sha256 = hash.digest('hex');
    mkdirSync(join(blobsDir, sha256.slice(0, 2)), { recursive: true });
    renameSync(part, blobPath(blobsDir, sha256));
    return sha256;
  });
}
