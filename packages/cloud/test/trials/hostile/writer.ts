import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Chance } from '../support/chance.ts';
import { objectOf } from '../support/json.ts';
import { noisePng } from '../support/media.ts';
import { multipart } from '../support/upload.ts';
import type { Reply, SteadyLine } from './steady-line.ts';

/** Something that was asked for by its name, and what the cloud said. */
export interface Promised {
  /** `there`: acknowledged. `gone`: its removal was acknowledged. `refused`: it must not be there. */
  is: 'there' | 'gone' | 'refused' | 'unknown';
  id: string | null;
  /** Of content: what its bytes are. */
  sha256?: string;
}

/** What was acknowledged to the client that writes, by name. */
export interface Promises {
  stores: Map<string, Promised>;
  playlists: Map<string, Promised>;
  content: Map<string, Promised>;
}

export const createPromises = (): Promises => ({
  stores: new Map(),
  playlists: new Map(),
  content: new Map(),
});

export interface WriterDeps {
  line: SteadyLine;
  /** An Admin key. */
  key: string;
  chance: Chance;
  /** Milliseconds between two requests; 30 a minute is what the key allows. */
  everyMs: number;
  contentId: string;
  /** Its items are changed now and then, so that every screen gets another manifest. */
  playlistId: string;
  promises: Promises;
}

/** How many of a kind stand before the oldest is removed. */
const KEEP = 20;

/** Somebody who works with the API: every change is either acknowledged, and kept, or refused, and not made. */
export async function writeSteadily(deps: WriterDeps, signal: AbortSignal): Promise<void> {
  const { line, key, chance, everyMs, contentId, playlistId, promises } = deps;
  let n = 0;

  const removeOldest = async (held: Map<string, Promised>, path: string) => {
    const standing = [...held.values()].filter(({ is }) => is === 'there');
    const [oldest] = standing;
    if (!oldest || standing.length <= KEEP) return false;
    const reply = await line.ask('DELETE', { method: 'DELETE', path: `${path}/${oldest.id}`, key });
    if (reply === null) oldest.is = 'unknown';
    else if (reply.status < 400) oldest.is = 'gone';
    return true;
  };
  const makeStore = () => {
    const name = `steady store ${n}`;
    return make(promises.stores, name, () =>
      line.ask('POST store', { method: 'POST', path: '/v1/stores', key, json: { name } }),
    );
  };
  const makePlaylist = () => {
    const name = `steady playlist ${n}`;
    const json = { name, items: [{ content_id: contentId, duration: 10 }] };
    return make(promises.playlists, name, () =>
      line.ask('POST playlist', { method: 'POST', path: '/v1/playlists', key, json }),
    );
  };
  const uploadPicture = () => {
    const name = `steady picture ${n}`;
    const bytes = noisePng(40, 40);
    promises.content.set(name, {
      is: 'unknown',
      id: null,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    const { body, contentType } = multipart({ name }, { fileName: 'x.png', contentType: 'image/png', bytes });
    const headers = { 'content-type': contentType };
    return make(promises.content, name, () =>
      line.ask('upload', { method: 'POST', path: '/v1/content/upload', key, headers, body }),
    );
  };
  const changeAll = () =>
    line.ask('PATCH playlist of all', {
      method: 'PATCH',
      path: `/v1/playlists/${playlistId}`,
      key,
      json: { items: [{ content_id: contentId, duration: 5 + chance.int(500) }] },
    });
  const steps = [
    makeStore,
    makePlaylist,
    uploadPicture,
    () => removeOldest(promises.stores, '/v1/stores'),
    makeStore,
    () => removeOldest(promises.playlists, '/v1/playlists'),
    makePlaylist,
    changeAll,
    uploadPicture,
    () => removeOldest(promises.content, '/v1/content'),
  ];
  for (; !signal.aborted; n++) {
    const step = steps[n % steps.length]!;
    await step();
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
}

/** Asks for something of this name, and notes what the cloud says of it. */
async function make(
  held: Map<string, Promised>,
  name: string,
  send: () => Promise<Reply | null>,
): Promise<void> {
  const entry: Promised = { is: 'unknown', id: null, ...held.get(name) };
  held.set(name, entry);
  const reply = await send();
  if (reply === null) return;
  const { id } = objectOf(reply.data);
  entry.is = reply.status < 400 ? 'there' : 'refused';
  entry.id = typeof id === 'string' ? id : null;
}
