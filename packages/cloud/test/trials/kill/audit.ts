import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { operations } from '@placard/protocol/api';
import Sqlite from 'better-sqlite3';
import { z } from 'zod';
import type { Api } from '../support/api.ts';
import { must } from '../support/breach.ts';
import { filesIn, hashFile, hashInName } from '../support/data-folder.ts';
import type { Entry, Ledger, ScreenLedger } from './ledger.ts';

export interface Audit {
  api: Api;
  dataDir: string;
  ledger: Ledger;
  /** Files whose bytes were found right before; bytes under a hash never change. */
  verified: Set<string>;
}

/** Compares everything that the cloud holds with what its clients were promised. */
export async function audit(scene: Audit): Promise<void> {
  const { api, ledger } = scene;
  auditDatabase(join(scene.dataDir, 'cloud.sqlite'), ledger);
  const playlists = await api.all(operations.listPlaylists);
  rows('playlist', ledger.playlists, playlists, (entry, row) => row.item_count === entry.items);
  const schedules = await api.all(operations.listSchedules);
  rows(
    'schedule',
    ledger.schedules,
    schedules,
    (entry, row) => row.rule_count === entry.rules && row.targets.length === entry.targets,
  );
  rows('device', ledger.devices, await api.all(operations.listDevices), () => true);
  rows('store', ledger.stores, await api.all(operations.listStores), () => true);
  const assets = await api.all(operations.listContent);
  rows('asset', ledger.assets, assets, (entry, row) => row.sha256 === entry.sha256);
  await auditBytes(scene, assets);
  const commands = new Set((await api.all(operations.listCommands)).map((row) => row.id));
  for (const id of ledger.commands) must(commands.has(id), 'a command that was answered is lost', id);
  for (const [id, screen] of ledger.screens) await auditScreen(scene, id, screen);
}

/** Every promised row is there once, every row was asked for, none is half. */
function rows<E extends Entry, R extends { id: string; name: string }>(
  kind: string,
  entries: ReadonlyMap<string, E>,
  found: readonly R[],
  whole: (entry: E, row: R) => boolean,
): void {
  const byName = Map.groupBy(found, (row) => row.name);
  for (const [name, entry] of entries) {
    const [row, ...more] = byName.get(name) ?? [];
    must(more.length === 0, `a ${kind} is there twice`, { name, entry, row, more });
    if (entry.removal === 'gone') must(!row, `a ${kind} that was removed is back`, { name, entry, row });
    else if (entry.removal === 'no' && entry.id !== null)
      must(row?.id === entry.id, `a ${kind} that was answered is lost`, { name, entry, row });
    if (row) must(whole(entry, row), `a ${kind} is half there`, { name, entry, row });
  }
  for (const [name, [row]] of byName) must(entries.has(name), `a ${kind} that nobody asked for`, row);
}

async function auditBytes(
  { api, dataDir, verified }: Audit,
  assets: readonly { id: string; sha256: string; url: string }[],
): Promise<void> {
  for (const { url, sha256 } of assets) {
    if (verified.has(url)) continue;
    const { status, bytes } = await api.client.raw({ method: 'GET', path: new URL(url).pathname });
    must(
      status === 200 && createHash('sha256').update(bytes).digest('hex') === sha256,
      'the bytes of an asset are missing or wrong',
      { url, status },
    );
    verified.add(url);
  }
  for (const name of (await filesIn(dataDir)).keys()) {
    const named = hashInName(name);
    must(named !== null, 'a file without a name is left after the restart', name);
    if (verified.has(name)) continue;
    must((await hashFile(join(dataDir, name))) === named, 'a file is not what its name says', name);
    verified.add(name);
  }
}

async function auditScreen({ api }: Audit, id: string, screen: ScreenLedger): Promise<void> {
  const manifest = await api.get(operations.getManifest, { key: screen.token });
  const { configuration } = await api.get(operations.getDevice, { params: { id } });
  must(
    configuration.manifest_revision === manifest.revision,
    'the revision of a device is not its manifest',
    {
      configuration,
      revision: manifest.revision,
    },
  );
  const { told, sent } = screen.deployed;
  must([told, sent].includes(manifest.base_playlist_id), 'a deployment that was answered is lost', {
    told,
    sent,
    base: manifest.base_playlist_id,
  });
  for (const playlist of manifest.playlists)
    for (const item of playlist.items)
      must(
        manifest.assets.some((asset) => asset.id === item.content_id),
        'a manifest names an item without its asset',
        { playlist, item },
      );
}

const count = z.object({ n: z.int().nullable() });

/** What no interface tells: the pages of the file, its references, and that sums are the sums of their rows. */
function auditDatabase(file: string, ledger: Ledger): void {
  const db = new Sqlite(file, { readonly: true });
  try {
    const integrity: unknown = db.pragma('integrity_check', { simple: true });
    must(integrity === 'ok', 'the database is damaged', integrity);
    const dangling = db.pragma('foreign_key_check');
    must(Array.isArray(dangling) && dangling.length === 0, 'a row refers to nothing', dangling);
    const ask = (sql: string, ...values: string[]) => count.parse(db.prepare(sql).get(...values)).n ?? 0;
    for (const [id, { samples, plays }] of ledger.screens) {
      const held = ask('select count(*) as n from heartbeat_samples where device_id = ?', id);
      within('samples', held, samples);
      for (const interval of ['minute', 'hour', 'day']) {
        const summed = ask(
          'select sum(samples) as n from heartbeat_buckets where device_id = ? and interval = ?',
          id,
          interval,
        );
        must(summed === held, `the ${interval} buckets hold ${summed} of ${held} samples`);
      }
      const shown = ask('select count(*) as n from plays where device_id = ?', id);
      within('plays', shown, plays);
      const hours = ask('select sum(plays) as n from play_hours where device_id = ?', id);
      must(hours === shown, `the hours hold ${hours} of ${shown} plays`);
    }
  } finally {
    db.close();
  }
}

function within(what: string, held: number, { told, sent }: { told: Set<string>; sent: Set<string> }): void {
  must(held >= told.size, `${told.size - held} ${what} that were answered are lost`);
  must(held <= sent.size, `${held - sent.size} ${what} more than were sent`);
}
