import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { operations } from '@placard/protocol/api';
import Sqlite from 'better-sqlite3';
import { z } from 'zod';
import type { Api } from '../support/api.ts';
import type { SteadyScreen } from './screens.ts';
import type { Promised, Promises } from './writer.ts';

export interface Audit {
  api: Api;
  dataDir: string;
  key: () => Promise<string>;
  promises: Promises;
  screens: readonly SteadyScreen[];
}

const counted = z.object({ n: z.int() });

/** Reads back all that was acknowledged; answers with a sentence for each thing that is not as it was promised. */
export async function readBack({ api, dataDir, key, promises, screens }: Audit): Promise<string[]> {
  const broken: string[] = [];
  const content = await api.all(operations.listContent);
  broken.push(
    ...compare('store', promises.stores, await api.all(operations.listStores)),
    ...compare('playlist', promises.playlists, await api.all(operations.listPlaylists)),
    ...compare('content', promises.content, content),
  );
  for (const { name, url, sha256 } of content) {
    const promised = promises.content.get(name);
    if (promised?.is !== 'there') continue;
    const { status, bytes } = await api.client.raw({ method: 'GET', path: new URL(url).pathname });
    const found = createHash('sha256').update(bytes).digest('hex');
    if (status !== 200 || found !== promised.sha256 || sha256 !== found)
      broken.push(`The bytes of "${name}" are missing or others than those that were sent (${status}).`);
  }
  broken.push(...(await readPlays(api, await key(), screens)), ...readSamples(dataDir, screens));
  return broken;
}

function compare(
  what: string,
  promised: ReadonlyMap<string, Promised>,
  found: readonly { id: string; name: string }[],
): string[] {
  const broken: string[] = [];
  const byName = Map.groupBy(found, ({ name }) => name);
  for (const [name, { is, id }] of promised) {
    const rows = byName.get(name) ?? [];
    if (rows.length > 1) broken.push(`${what} "${name}" is there ${rows.length} times.`);
    if (is === 'there' && rows[0]?.id !== id) broken.push(`${what} "${name}" was acknowledged and is lost.`);
    if ((is === 'gone' || is === 'refused') && rows.length > 0)
      broken.push(
        `${what} "${name}" is there, though ${is === 'gone' ? 'its removal was acknowledged' : 'it was refused'}.`,
      );
  }
  return broken;
}

/** Every play of every screen, exactly once. */
async function readPlays(api: Api, key: string, screens: readonly SteadyScreen[]): Promise<string[]> {
  const from = new Date(Date.now() - 30 * 3_600_000).toISOString();
  const { status, bytes } = await api.client.raw({
    method: 'GET',
    path: `/v1/analytics/plays.csv?from=${from}`,
    key,
  });
  if (status !== 200) return [`The plays cannot be exported (${status}).`];
  const times = new Map<string, number>();
  for (const line of bytes.toString('utf8').split('\r\n')) {
    const [id = ''] = line.split(',');
    times.set(id, (times.get(id) ?? 0) + 1);
  }
  const sent = screens.flatMap((screen) => [...screen.plays]);
  const lost = sent.filter((id) => !times.has(id));
  const twice = sent.filter((id) => (times.get(id) ?? 0) > 1);
  return [
    ...(lost.length > 0 ? [`${lost.length} of ${sent.length} plays are not in the cloud (${lost[0]}).`] : []),
    ...(twice.length > 0
      ? [`${twice.length} of ${sent.length} plays are there more than once (${twice[0]}).`]
      : []),
  ];
}

/** No interface tells single samples. */
function readSamples(dataDir: string, screens: readonly SteadyScreen[]): string[] {
  const db = new Sqlite(join(dataDir, 'cloud.sqlite'), { readonly: true });
  try {
    const ask = db.prepare('select count(*) as n from heartbeat_samples where device_id = ?');
    return screens.flatMap(({ deviceId, samples }) => {
      const { n } = counted.parse(ask.get(deviceId));
      return n >= samples.told.size && n <= samples.sent.size
        ? []
        : [
            `Of ${deviceId} the cloud holds ${n} samples; ${samples.told.size} were acknowledged, ${samples.sent.size} sent.`,
          ];
    });
  } finally {
    db.close();
  }
}
