import { PlacardError } from '@placard/client';
import type { Event, PlacardClient } from '@placard/client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { startRecordingServer } from '../../cloud/test/support/recording-server.ts';
import { startTestCloud } from '../../cloud/test/support/test-cloud.ts';
import type { TestCloud } from '../../cloud/test/support/test-cloud.ts';
import { startLine } from './support/line.ts';
import { clientOf } from './support/start-client.ts';

let cloud: TestCloud;
let placard: PlacardClient;
beforeAll(async () => {
  cloud = await startTestCloud();
  placard = clientOf(cloud);
});
afterAll(() => cloud.close());

const create = (name: string) => placard.playlists.create({ name, mode: 'sequential', items: [] });
const nameOf = (event: Event) => (event.type === 'playlist.created' ? event.data.playlist.name : '');

/** What an event says; `type` tells what its data has. */
function say({ type, data }: Event): string {
  if (type === 'device.now_playing') {
    return data.now_playing?.playlist_id ?? 'nothing';
  }
  return type === 'operation.progress'
    ? `${data.operation.succeeded} of ${data.operation.total}`
    : `${type} ${JSON.stringify(data)}`;
}

/** Collects the names of the playlists in a stream, until the end of the test. */
function collect(from: PlacardClient, options: Parameters<PlacardClient['events']['stream']>[0] = {}) {
  const abort = new AbortController();
  const names: string[] = [];
  const run = async () => {
    for await (const event of from.events.stream({ ...options, signal: abort.signal })) {
      names.push(nameOf(event));
    }
  };
  const ended = run().catch((error: unknown) => error);
  onTestFinished(() => abort.abort());
  return { names, ended, abort };
}

test('a stream continues over cut lines: nothing is missed, nothing comes twice', async () => {
  const line = await startLine(cloud.cloud.url);
  await create('Before');
  const { meta } = await placard.events.list({ cursor: 'latest' }).page();
  const { names } = collect(clientOf(cloud, { server: line.url }), {
    types: ['playlist.created'],
    after: meta.next_cursor ?? undefined,
  });
  const expected: string[] = [];
  for (let round = 0; round < 4; round++) {
    const name = `Round ${round}`;
    expected.push(name, `${name} while away`);
    await create(name);
    await eventually(() => expect(names).toContain(name));
    line.cut();
    await create(`${name} while away`);
  }
  await eventually(() => expect(names).toEqual(expected));
  expect(line.connections).toBeGreaterThan(4);
});

test('without a position it begins with what happens next; types and resources limit it', async () => {
  await create('Before');
  const { names } = collect(placard, { types: ['playlist.created'] });
  const changes = collect(placard, { types: ['playlist.*'], resource: (await create('Other')).id });
  await eventually(async () => {
    await create('After');
    expect(names).toContain('After');
  });
  expect(names).not.toContain('Before');
  expect(changes.names).not.toContain('After');
});

test('the position of an empty log is its beginning: what came before the stream is in it', async () => {
  const young = await startTestCloud();
  onTestFinished(() => young.close());
  const client = clientOf(young);
  const { meta } = await client.events.list({ cursor: 'latest' }).page();
  await client.playlists.create({ name: 'First', mode: 'sequential', items: [] });
  // Clouds of earlier versions say null.
  for (const after of [meta.next_cursor, null]) {
    const { names } = collect(client, { types: ['playlist.created'], after });
    await eventually(() => expect(names).toEqual(['First']));
  }
});

test('a stream that is sent nothing keeps how far the cloud has read, and continues there', async () => {
  const asked: (string | null)[] = [];
  let read = '';
  const client = clientOf(cloud, {
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      const headers = new Headers(init?.headers);
      if (headers.get('accept') !== 'text/event-stream' || !response.body) {
        return response;
      }
      asked.push(headers.get('last-event-id'));
      const endOnceRead = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(chunk, controller) {
          controller.enqueue(chunk);
          if (read !== '' && new TextDecoder().decode(chunk).includes(read)) {
            controller.terminate();
          }
        },
      });
      return new Response(response.body.pipeThrough(endOnceRead), response);
    },
  });
  collect(client, { types: ['upload.*'] });
  await eventually(() => expect(asked).toHaveLength(1));
  await create('Not wanted');
  read = (await placard.events.list({ cursor: 'latest' }).page()).meta.next_cursor ?? '';
  await eventually(() => {
    cloud.clock.advance(15_000);
    expect(asked[1]).toBe(read);
  });
});

test('where streams do not come through, the list is read', async () => {
  const { meta } = await placard.events.list({ cursor: 'latest' }).page();
  await create('Only in the list');
  const withoutStreams = clientOf(cloud, {
    fetch: (url, init) =>
      new Headers(init?.headers).get('accept') === 'text/event-stream'
        ? Promise.resolve(new Response('Bad gateway', { status: 502 }))
        : fetch(url, init),
  });
  const { names } = collect(withoutStreams, { after: meta.next_cursor ?? undefined });
  await eventually(() => expect(names).toEqual(['Only in the list']));
});

test('since begins in the past', async () => {
  const since = new Date(cloud.clock.nowMs() + 1).toISOString();
  await create('Past 1');
  await create('Past 2');
  const { names } = collect(placard, { since, types: ['playlist.created'] });
  await eventually(() => expect(names).toEqual(['Past 1', 'Past 2']));
});

test('what the cloud refuses ends the stream', async () => {
  const expired = collect(placard, { after: 'evt_0000000000000000000000000z' });
  expect(await expired.ended).toMatchObject({ code: 'EVENT_CURSOR_EXPIRED', status: 410 });
  const stranger = await collect(clientOf(cloud, { apiKey: 'nobody' })).ended;
  expect(stranger).toBeInstanceOf(PlacardError);
  expect(stranger).toMatchObject({ code: 'UNAUTHORIZED' });
});

test('a signal ends the stream with its reason, and so does leaving the loop', async () => {
  const { abort, ended } = collect(placard);
  const reason = new Error('enough');
  abort.abort(reason);
  expect(await ended).toBe(reason);
  const since = new Date(cloud.clock.nowMs()).toISOString();
  await create('One');
  for await (const event of placard.events.stream({ since, types: ['playlist.created'] })) {
    expect(nameOf(event)).toBe('One');
    break;
  }
});

test('the type of an event says what its data has, and one of a newer cloud comes through', async () => {
  const common = {
    id: 'evt_01kzgm8q2c7d0vqk3m4a5b6c7d',
    timestamp: '2026-11-20T08:00:00.000Z',
    resource: 'x_1',
  };
  const newer = { ...common, type: 'weather.changed', data: { weather: 'rain' } };
  const server = await startRecordingServer((_request, response) =>
    response.end(JSON.stringify({ success: true, data: [newer], meta: { limit: 100, has_more: false } })),
  );
  onTestFinished(() => server.close());
  const events = await clientOf(cloud, { server: server.url }).events.list().toArray();
  expect(events.map(say)).toEqual(['weather.changed {"weather":"rain"}']);
});
