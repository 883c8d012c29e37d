import { expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import { uploadRepository } from './uploads.ts';

const NOW = Date.UTC(2026, 0, 1);

test('a complete upload that nobody has claimed is listed ten seconds after its last byte', async () => {
  const db = await openTestDb();
  const uploads = uploadRepository(db);
  await uploads.insert({
    id: 'upload_1',
    actor_type: 'api_key',
    actor_id: 'key_1',
    actor_name: 'A key',
    address: '127.0.0.1',
    request_id: 'request_1',
    metadata: '',
    size: 10,
    received: 4,
    state: 'receiving',
    asset_id: null,
    error: null,
    created_at: NOW - 60_000,
    updated_at: NOW - 60_000,
    expires_at: NOW + 60_000,
    busy_until: 0,
  });
  const waitingAt = async (nowMs: number) => (await uploads.listWaiting(nowMs, 5)).map(({ id }) => id);
  const last = { from: 4, to: 10, parts: [], nowMs: NOW, expiresMs: NOW + 60_000 };
  expect(await uploads.advance('upload_1', last)).toBe(true);
  expect(await waitingAt(NOW + 9_999)).toEqual([]);
  expect(await waitingAt(NOW + 10_000)).toEqual(['upload_1']);
  expect(await uploads.claim('upload_1', NOW + 10_000, NOW + 30_000)).toBe(true);
  expect(await waitingAt(NOW + 29_999)).toEqual([]);
});
