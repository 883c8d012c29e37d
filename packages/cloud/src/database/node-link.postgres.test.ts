import { expect, inject, onTestFinished, test } from 'vitest';
import { createCopy } from '../../test/support/postgres-databases.ts';
import { insertDevice } from '../../test/support/insert-device.ts';
import { openTestDatabase } from '../../test/support/open-test-database.ts';
import { createSeededRandom } from '../../../../test/support/seeded-random.ts';
import type { CloudEvent } from '../domain/events.ts';
import type { CloudDatabase } from './cloud-database.ts';
import { nodeMessageRepository } from './node-messages.ts';
import { openPostgres } from './open-postgres.ts';
import { createPostgresStorage } from './postgres/postgres-storage.ts';
import type { Storage } from './storage.ts';

const COMMAND = {
  id: 'cmd_01',
  command: 'REFRESH',
  expires_at: '2026-01-02T00:00:00.000Z',
};

interface Node {
  database: CloudDatabase;
  storage: Storage;
  events: CloudEvent[];
}

/** Nodes of one cloud, which has an organization and devices. */
async function openNodes(count: number, deviceIds: readonly string[]): Promise<Node[]> {
  const url = await createCopy(inject('postgres')!, onTestFinished);
  const nodes = await Promise.all(
    Array.from({ length: count }, async () => {
      const db = await openPostgres(url);
      onTestFinished(() => db.destroy());
      const storage = createPostgresStorage(db);
      const events: CloudEvent[] = [];
      const database = await openTestDatabase({ storage, publish: (more) => void events.push(...more) });
      return { database, storage, events };
    }),
  );
  await nodes[0]!.database.transaction((tx) => tx.organization.create('Shop', 0));
  for (const id of deviceIds) {
    await insertDevice(nodes[0]!.storage.db, id);
  }
  // Reads what there is into memory.
  for (const { database, events } of nodes) {
    await database.manifestBuilder();
    events.length = 0;
  }
  return nodes;
}

async function openTwoNodes(deviceIds: readonly string[]): Promise<{ one: Node; other: Node }> {
  const [one, other] = await openNodes(2, deviceIds);
  return { one: one!, other: other! };
}

const setTimezone = ({ database }: Node, timezone: string) =>
  database.transaction(async (tx) => {
    await tx.organization.update({ timezone }, 1);
    tx.invalidateManifests('settings');
  });

const rename = ({ database }: Node, id: string, name: string) =>
  database.transaction(async (tx) => {
    await tx.devices.update(id, { name });
    tx.invalidateManifests({ deviceId: id });
  });

const revisionsOf = async ({ database }: Node, ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => database.manifestRevisionOf(id)));

test('what one node changes, the others show at once, and tell their devices', async () => {
  const { one, other } = await openTwoNodes(['dev_1', 'dev_2']);
  const before = await revisionsOf(other, ['dev_1', 'dev_2']);
  expect(await revisionsOf(one, ['dev_1', 'dev_2'])).toEqual(before);

  await setTimezone(one, 'Europe/Berlin');
  const after = await revisionsOf(other, ['dev_1', 'dev_2']);
  expect(after).not.toContain(before[0]);
  expect(after).toEqual(await revisionsOf(one, ['dev_1', 'dev_2']));
  expect((await other.database.manifestBuilder()).content.settings.timezone).toBe('Europe/Berlin');
  expect(other.events).toEqual([{ type: 'manifests_changed', deviceIds: null, traces: [] }]);
  expect(one.events).toEqual([{ type: 'manifests_changed', deviceIds: null, traces: [] }]);

  other.events.length = 0;
  await rename(one, 'dev_1', 'Entrance');
  const renamed = await revisionsOf(other, ['dev_1', 'dev_2']);
  expect(renamed[0]).not.toBe(after[0]);
  expect(renamed[1]).toBe(after[1]);
  expect(other.events).toEqual([{ type: 'manifests_changed', deviceIds: ['dev_1'], traces: [] }]);
});

test('commands and removed devices reach the sockets of all nodes', async () => {
  const { one, other } = await openTwoNodes(['dev_1']);
  const events: CloudEvent[] = [
    { type: 'command', deviceId: 'dev_1', command: COMMAND },
    { type: 'unpaired', deviceId: 'dev_1' },
  ];
  await one.database.transaction(async (tx) => events.forEach((event) => tx.publishOnCommit(event)));
  expect(one.events).toEqual(events);
  await other.database.receiveMessages();
  expect(other.events).toEqual(events);
  await one.database.receiveMessages();
  expect(one.events).toEqual(events);
});

test('an event for other nodes is published by them alone', async () => {
  const { one, other } = await openTwoNodes([]);
  const event: CloudEvent = { type: 'sockets_opened', deviceIds: ['dev_1', 'dev_2'] };
  await one.database.transaction(async (tx) => tx.publishToOthers(event));
  await other.database.receiveMessages();
  expect(other.events).toEqual([event]);
  expect(one.events).toEqual([]);
});

test('the answer of a change contains what other nodes have changed before', async () => {
  const { one, other } = await openTwoNodes(['dev_1']);
  await setTimezone(one, 'Europe/Berlin');
  const timezone = await other.database.transaction(
    async (tx) => (await tx.manifestBuilder()).content.settings.timezone,
  );
  expect(timezone).toBe('Europe/Berlin');
});

test('a node reads everything again after messages that it cannot read, or that are gone', async () => {
  const { one, other } = await openTwoNodes(['dev_1']);
  const messages = nodeMessageRepository(one.storage.db);
  const [before] = await revisionsOf(other, ['dev_1']);
  for (const spoil of [
    () => messages.add('newer', '{"content":"of a version to come"}', 1),
    async () => {
      await rename(one, 'dev_1', 'Exit');
      await messages.deleteBefore(Number.MAX_SAFE_INTEGER);
    },
  ]) {
    await spoil();
    other.events.length = 0;
    await other.database.receiveMessages();
    expect(other.events).toContainEqual({ type: 'manifests_changed', deviceIds: null });
  }
  const [after] = await revisionsOf(other, ['dev_1']);
  expect(after).not.toBe(before);
  expect(await revisionsOf(one, ['dev_1'])).toEqual([after]);
});

test('events of a newer version are logged once for each type, and the others are heard', async () => {
  const { one, other } = await openTwoNodes(['dev_1']);
  const logged: unknown[] = [];
  const database = await openTestDatabase({
    storage: other.storage,
    publish: (events) => void other.events.push(...events),
    node: { id: 'reader', log: { warn: (line: unknown) => void logged.push(line) } },
  });
  await database.receiveMessages();
  other.events.length = 0;
  const known = { type: 'unpaired', deviceId: 'dev_1' };
  for (const events of [
    [{ type: 'rename' }, known],
    [{ type: 'rename' }, { type: 'resize' }],
  ]) {
    const body = JSON.stringify({ content: null, devices: [], events });
    await one.storage.transaction((trx) => nodeMessageRepository(trx).add('newer', body, 1), {});
    await database.receiveMessages();
  }
  expect(other.events).toEqual([known]);
  expect(logged).toMatchObject([{ type: 'rename' }, { type: 'resize' }]);
});

test('nodes that change things at the same time end with the same manifests', async () => {
  const ids = ['dev_1', 'dev_2', 'dev_3'];
  const nodes = await openNodes(3, ids);
  const random = createSeededRandom(7);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random.next() * from.length)]!;
  const zones = ['Europe/Berlin', 'Asia/Tokyo', 'America/New_York', 'UTC'];
  await Promise.all(
    Array.from({ length: 60 }, (_, index) => {
      const node = pick(nodes);
      return random.next() < 0.5
        ? setTimezone(node, pick(zones))
        : rename(node, pick(ids), `Name ${index}`).then(() => revisionsOf(pick(nodes), ids));
    }),
  );
  const fresh = await openTestDatabase({ storage: nodes[0]!.storage });
  const expected = await Promise.all(ids.map(async (id) => fresh.manifestRevisionOf(id)));
  for (const node of nodes) {
    expect(await revisionsOf(node, ids)).toEqual(expected);
  }
});
