import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';
import { asObject } from '../support/json.ts';
import { randomPng } from '../support/media.ts';
import { multipart } from '../support/multipart.ts';
import type { Reply, MeasuredClient } from './measured-client.ts';

/** A resource that was requested by name, and the result. */
export interface WrittenResource {
  /** `there`: acknowledged. `gone`: its deletion was acknowledged. `refused`: it must not exist. */
  state: 'there' | 'gone' | 'refused' | 'unknown';
  id: string | null;
  /** For content: the hash of the file. */
  sha256?: string;
}

/** Resources acknowledged to the writer, by name. */
export interface WrittenResources {
  stores: Map<string, WrittenResource>;
  playlists: Map<string, WrittenResource>;
  content: Map<string, WrittenResource>;
}

export const createWrittenResources = (): WrittenResources => ({
  stores: new Map(),
  playlists: new Map(),
  content: new Map(),
});

export interface WriterDeps {
  client: MeasuredClient;
  /** An Admin key. */
  key: string;
  random: SeededRandom;
  /** Interval of requests, milliseconds; the key allows 30 a minute. */
  everyMs: number;
  contentId: string;
  /** Its items are changed at intervals, so that every device gets a new manifest. */
  playlistId: string;
  written: WrittenResources;
}

/** Resources of one kind before the oldest is deleted. */
const MAX_RESOURCES = 20;

/** Simulates an API client: every change must be either acknowledged and stored, or rejected and not made. */
export async function runWriter(deps: WriterDeps, signal: AbortSignal): Promise<void> {
  const { client, key, random, everyMs, contentId, playlistId, written } = deps;
  let n = 0;

  const removeOldest = async (resources: Map<string, WrittenResource>, path: string) => {
    const standing = [...resources.values()].filter(({ state }) => state === 'there');
    const [oldest] = standing;
    if (!oldest || standing.length <= MAX_RESOURCES) {
      return false;
    }
    const reply = await client.send('DELETE', { method: 'DELETE', path: `${path}/${oldest.id}`, key });
    if (reply === null) {
      oldest.state = 'unknown';
    } else if (reply.status < 400) {
      oldest.state = 'gone';
    }
    return true;
  };
  const makeStore = () => {
    const name = `steady store ${n}`;
    return createResource(written.stores, name, () =>
      client.send('POST store', { method: 'POST', path: '/v1/stores', key, json: { name } }),
    );
  };
  const makePlaylist = () => {
    const name = `steady playlist ${n}`;
    const json = { name, items: [{ content_id: contentId, duration: 10 }] };
    return createResource(written.playlists, name, () =>
      client.send('POST playlist', { method: 'POST', path: '/v1/playlists', key, json }),
    );
  };
  const uploadPicture = () => {
    const name = `steady picture ${n}`;
    const bytes = randomPng(40, 40);
    written.content.set(name, {
      state: 'unknown',
      id: null,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    const { body, contentType } = multipart({ name }, { fileName: 'x.png', contentType: 'image/png', bytes });
    const headers = { 'content-type': contentType };
    return createResource(written.content, name, () =>
      client.send('upload', { method: 'POST', path: '/v1/content/upload', key, headers, body }),
    );
  };
  const changeSharedPlaylist = () =>
    client.send('PATCH playlist of all', {
      method: 'PATCH',
      path: `/v1/playlists/${playlistId}`,
      key,
      json: { items: [{ content_id: contentId, duration: 5 + random.below(500) }] },
    });
  const steps = [
    makeStore,
    makePlaylist,
    uploadPicture,
    () => removeOldest(written.stores, '/v1/stores'),
    makeStore,
    () => removeOldest(written.playlists, '/v1/playlists'),
    makePlaylist,
    changeSharedPlaylist,
    uploadPicture,
    () => removeOldest(written.content, '/v1/content'),
  ];
  for (; !signal.aborted; n++) {
    const step = steps[n % steps.length]!;
    await step();
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
}

/** Creates a resource with this name and records the result. */
async function createResource(
  resources: Map<string, WrittenResource>,
  name: string,
  send: () => Promise<Reply | null>,
): Promise<void> {
  const entry: WrittenResource = { state: 'unknown', id: null, ...resources.get(name) };
  resources.set(name, entry);
  const reply = await send();
  if (reply === null) {
    return;
  }
  const { id } = asObject(reply.data);
  entry.state = reply.status < 400 ? 'there' : 'refused';
  entry.id = typeof id === 'string' ? id : null;
}
