import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { startFakeCloud } from '../../test/support/fake-cloud.ts';
import { givePlaylist } from '../../test/support/manifests.ts';
import { createShellDouble } from '../../test/support/shell-double.ts';
import { until } from '../../test/support/until.ts';

// Real processes on a machine that has other things to do.
vi.setConfig({ testTimeout: 300_000 });

/** Rows of what belongs to a device. */
function rowsIn(file: string): Record<string, number> {
  const db = new Database(file, { readonly: true });
  const count = (table: string) =>
    Number(db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get());
  const tables = ['identity', 'manifests', 'positions', 'plays', 'samples', 'commands'];
  const rows = Object.fromEntries(tables.map((table) => [table, count(table)]));
  db.close();
  return rows;
}

test.concurrent.for(['ran on', 'was switched off'])(
  'a device that was deleted while it was offline and %s erases everything and shows a code',
  async (meanwhile, { onTestFinished }) => {
    const cloud = await startFakeCloud();
    givePlaylist(cloud, ['a', 'b']);
    const dir = mkdtempSync(join(tmpdir(), 'placard-'));
    const dataDir = join(dir, 'player');
    const shell = createShellDouble({ server: cloud.url, dataDir });
    onTestFinished(async () => {
      await shell.end();
      await cloud.stop();
      rmSync(dir, { recursive: true, force: true });
    });
    const { shown } = shell.stage;
    await shell.start();
    cloud.confirm();
    await until(
      'both files and two pictures',
      () => cloud.seen.mediaRequests.length === 2 && shown.length >= 2,
    );

    await cloud.stop();
    const offline = shown.length;
    await until('pictures without the cloud', () => shown.length >= offline + 3);
    const untold = shown.slice(offline, offline + 2).map((one) => one.id);
    if (meanwhile === 'was switched off') {
      await shell.kill();
      shell.stage.reload();
    }
    cloud.unpair();
    await cloud.start();
    if (meanwhile === 'was switched off') await shell.start();

    await until('a code', () => shell.stage.screen?.kind === 'pairing' && shell.stage.screen.code);
    expect(shell.stage.empty).toBe(true);
    await until('an empty cache', () => readdirSync(join(dataDir, 'media')).length === 0);
    await shell.stop();
    const rows = rowsIn(join(dataDir, 'player.sqlite'));
    expect(rows).toEqual({ identity: 0, manifests: 0, positions: 0, plays: 0, samples: 0, commands: 0 });
    const copy = join(dataDir, 'identity.json');
    expect(existsSync(copy) ? readFileSync(copy, 'utf8') : '{}').toBe('{}');

    // Paired anew it begins at nothing: what the device before has shown is not told as its own.
    await shell.start();
    cloud.confirm();
    const again = shown.length;
    await until('pictures of the new pairing', () => shown.length >= again + 2);
    const fresh = shown[again]!.id;
    await until('a play of it', () => cloud.seen.plays.some((play) => play.id === fresh));
    expect(cloud.seen.plays.filter((play) => untold.includes(play.id))).toEqual([]);
  },
);
