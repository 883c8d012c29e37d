import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import { batchesOf } from './play-counts.ts';
import { playRepository } from './plays.ts';

const db = await openTestDb(afterAll);
beforeAll(async () => {
  const plays = Array.from({ length: 100 }, (_, i) => ({
    id: `play_${String(i).padStart(20, '0')}`,
    content_id: 'asset_1',
    playlist_id: null,
    schedule_id: null,
    rule_id: null,
    started_at: i,
    ended_at: i + 1,
    duration_ms: 1,
    outcome: 'completed' as const,
    reason: null,
  }));
  await db.transaction().execute((trx) => playRepository(trx).add('dev_1', plays, 0));
});

const part = { table: 'plays', fromMs: 0, toMs: 1000 } as const;

test('concurrent readers together begin one batch per turn of the event loop', async () => {
  let begun = 0;
  const counting = db.withPlugin({
    transformQuery({ node }) {
      begun += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const state = { done: false };
  const read = async () => {
    for await (const _slice of batchesOf(counting, part, 10)) {
      // Only that it is read.
    }
  };
  const all = Promise.all(Array.from({ length: 5 }, read)).finally(() => (state.done = true));
  let most = 0;
  while (!state.done) {
    const before = begun;
    await setImmediate();
    most = Math.max(most, begun - before);
  }
  await all;
  expect(begun).toBe(5 * 11);
  expect(most).toBe(1);
});

test('reading stops when the signal is aborted', async () => {
  const gone = new AbortController();
  let slices = 0;
  for await (const _slice of batchesOf(db, { ...part, signal: gone.signal }, 10)) {
    slices += 1;
    if (slices === 3) {
      gone.abort();
    }
  }
  expect(slices).toBe(3);
});
