import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { operations } from '@placard/protocol/api';
import Sqlite from 'better-sqlite3';
import { z } from 'zod';
import type { Api } from '../support/api.ts';
import type { PlayerClient } from './player-client.ts';
import type { WrittenResource, WrittenResources } from './writer.ts';

export interface ReadBackContext {
  api: Api;
  dataDir: string;
  key: () => Promise<string>;
  written: WrittenResources;
  screens: readonly PlayerClient[];
}

const countRow = z.object({ n: z.int() });

/** Reads back all acknowledged data; returns one sentence per difference. */
export async function readBack({ api, dataDir, key, written, screens }: ReadBackContext): Promise<string[]> {
  const broken: string[] = [];
  const content = await api.listAll(operations.listContent);
  broken.push(
    ...compareResources('store', written.stores, await api.listAll(operations.listStores)),
    ...compareResources('playlist', written.playlists, await api.listAll(operations.listPlaylists)),
    ...compareResources('content', written.content, content),
  );
  for (const { name, url, sha256 } of content) {
    const promised = written.content.get(name);
    if (promised?.state !== 'there') {
      continue;
    }
    const { status, bytes } = await api.client.sendRaw({ method: 'GET', path: new URL(url).pathname });
    const found = createHash('sha256').update(bytes).digest('hex');
    if (status !== 200 || found !== promised.sha256 || sha256 !== found) {
      broken.push(`The file of "${name}" is missing or differs from the one that was sent (${status}).`);
    }
  }
  broken.push(...(await readPlays(api, await key(), screens)), ...readSamples(dataDir, screens));
  return broken;
}

function compareResources(
  what: string,
  promised: ReadonlyMap<string, WrittenResource>,
  found: readonly { id: string; name: string }[],
): string[] {
  const broken: string[] = [];
  const byName = Map.groupBy(found, ({ name }) => name);
  for (const [name, { state, id }] of promised) {
    const rows = byName.get(name) ?? [];
    if (rows.length > 1) {
      broken.push(`${what} "${name}" is there ${rows.length} times.`);
    }
    if (state === 'there' && rows[0]?.id !== id) {
      broken.push(`${what} "${name}" was acknowledged and is lost.`);
    }
    if ((state === 'gone' || state === 'refused') && rows.length > 0) {
      broken.push(
        `${what} "${name}" exists, though ${state === 'gone' ? 'its deletion was acknowledged' : 'it was rejected'}.`,
      );
    }
  }
  return broken;
}

/** Every play of every device must exist exactly once. */
async function readPlays(api: Api, key: string, screens: readonly PlayerClient[]): Promise<string[]> {
  const from = new Date(Date.now() - 30 * 3_600_000).toISOString();
  const { status, bytes } = await api.client.sendRaw({
    method: 'GET',
    path: `/v1/analytics/plays.csv?from=${from}`,
    key,
  });
  if (status !== 200) {
    return [`The plays cannot be exported (${status}).`];
  }
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
      ? [`${twice.length} of ${sent.length} plays exist more than once (${twice[0]}).`]
      : []),
  ];
}

/** Single samples are not available over the API, so this reads the database. */
function readSamples(dataDir: string, screens: readonly PlayerClient[]): string[] {
  const db = new Sqlite(join(dataDir, 'cloud.sqlite'), { readonly: true });
  try {
    const statement = db.prepare(
      'select count(*) as n from all_samples join devices on devices.number = all_samples.device where id = ?',
    );
    return screens.flatMap(({ deviceId, samples }) => {
      const { n } = countRow.parse(statement.get(deviceId));
      return n >= samples.acknowledged.size && n <= samples.sent.size
        ? []
        : [
            `The cloud has ${n} samples of ${deviceId}; ${samples.acknowledged.size} were acknowledged, ${samples.sent.size} sent.`,
          ];
    });
  } finally {
    db.close();
  }
}
