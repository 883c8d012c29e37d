import { expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import { readEvents } from '../events/read-events.ts';
import { deviceRepository } from './devices.ts';
import { eventRepository } from './events.ts';
import type { NewEvent } from './events.ts';

let made = 0;
const newEvent = (change: Partial<NewEvent> = {}): NewEvent => ({
  id: `evt_${++made}`,
  type: 'device.online',
  resource: 'dev_1',
  data: '{}',
  created_at: made,
  ...change,
});

async function open(limits?: { maxBytes: number }) {
  const db = await openTestDb();
  return { db, events: eventRepository(db, limits), devices: deviceRepository(db) };
}

const seqsOf = (rows: readonly { seq: number }[]) => rows.map(({ seq }) => seq);

test('events are numbered without gaps, also after a rollback, and keep their order', async () => {
  const { db, events } = await open();
  const appended = [newEvent(), newEvent({ data: '{"text":"\\u0000é\\n"}' }), newEvent()];
  await events.append(appended);
  await expect(
    db.transaction().execute(async (trx) => {
      await eventRepository(trx).append([newEvent()]);
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  await events.append([]);
  const last = newEvent();
  await events.append([last]);
  const rows = await events.read([1, 2, 3, 4]);
  expect(seqsOf(rows)).toEqual([1, 2, 3, 4]);
  expect(rows).toMatchObject([...appended, last]);
  expect(rows.map((row) => row.end_offset)).toEqual([2, 23, 25, 27]);
  expect([await events.oldest(), await events.newest()]).toMatchObject([{ seq: 1 }, { seq: 4, id: last.id }]);
  expect([await events.findSeq(last.id), await events.findSeq('evt_none')]).toEqual([4, undefined]);
  expect(await events.firstSince(appended[1]!.created_at)).toBe(2);
  expect(await events.firstSince(1e15)).toBeUndefined();
});

test('of many that are appended at once each is numbered', async () => {
  const { events } = await open();
  await events.append(Array.from({ length: 1_201 }, () => newEvent()));
  expect(seqsOf(await events.headsAfter(1_198, 10))).toEqual([1_199, 1_200, 1_201]);
});

test('a part of the log ends at the limit, or at a megabyte, and says whether more follow', async () => {
  const { events, devices } = await open();
  const large = JSON.stringify('x'.repeat(700_000));
  await events.append([
    newEvent({ type: 'playlist.updated', resource: 'pl_1' }),
    newEvent({ data: large }),
    newEvent({ data: large }),
    newEvent({ data: large }),
    newEvent({ data: large }),
  ]);
  const read = async (after: number, limit: number, filter = {}) => {
    const part = await readEvents({ events, devices }, after, limit, filter);
    return [seqsOf(part.events), part.readUntil?.seq ?? null, part.hasMore];
  };
  // At least one.
  expect(await read(0, 10)).toEqual([[1, 2], 2, true]);
  expect(await read(2, 10)).toEqual([[3, 4], 4, true]);
  expect(await read(4, 10)).toEqual([[5], 5, false]);
  expect(await read(5, 10)).toEqual([[], null, false]);
  expect(await read(0, 1, { types: ['device.*'] })).toEqual([[2], 2, true]);
  expect(await read(0, 10, { types: ['playlist.updated'] })).toEqual([[1], 5, false]);
  expect(await read(0, 10, { types: ['command.*'] })).toEqual([[], 5, false]);
  // Nothing about the resource is left: its reader continues behind what is about others.
  expect(await read(0, 10, { resource: 'pl_1' })).toEqual([[1], 5, false]);
  expect(await read(5, 10, { resource: 'pl_1' })).toEqual([[], null, false]);
});

test('old events, and the oldest of too many bytes, are deleted; the newest stays, and no number is used again', async () => {
  const { events } = await open({ maxBytes: 25 });
  await events.append(Array.from({ length: 5 }, (_, n) => newEvent({ created_at: n, data: '"12345678"' })));
  const shrink = async (beforeMs: number) => {
    while (await events.deleteBatch(beforeMs)) {}
    return seqsOf(await events.headsAfter(0, 10));
  };
  expect(await shrink(0)).toEqual([3, 4, 5]);
  expect(await shrink(4)).toEqual([5]);
  expect(await shrink(100)).toEqual([5]);
  await events.append([newEvent()]);
  expect(await shrink(100)).toEqual([6]);
});
