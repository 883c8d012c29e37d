import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { tempDir } from '../../test/support/temp-dir.ts';
import { startFakeCloud } from '../../test/support/fake-cloud.ts';
import { publishPlaylist } from '../../test/support/manifests.ts';
import { createFakeShell } from '../../test/support/fake-shell.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

// Generous timeouts: real processes on a busy machine.
vi.setConfig({ testTimeout: 300_000 });

/** Row counts of the tables with device data. */
function rowsIn(file: string): Record<string, number> {
  const db = new Database(file, { readonly: true });
  const count = (table: string) =>
    Number(db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get());
  const tables = ['identity', 'manifests', 'positions', 'plays', 'samples', 'commands'];
  const rows = Object.fromEntries(tables.map((table) => [table, count(table)]));
  db.close();
  return rows;
}

test.concurrent.for(['kept running', 'was switched off'])(
  'a device that was deleted while offline and %s erases everything and shows a code',
  async (meanwhile, { onTestFinished }) => {
    const cloud = await startFakeCloud();
    publishPlaylist(cloud, ['a', 'b']);
    const dir = tempDir(onTestFinished);
    const dataDir = join(dir, 'player');
    const shell = createFakeShell({ server: cloud.url, dataDir });
    onTestFinished(async () => {
      await shell.dispose();
      await cloud.stop();
    });
    const { shown } = shell.stage;
    await shell.start();
    cloud.confirmPairing();
    await waitUntil(
      'both files and two pictures',
      () => cloud.received.mediaRequests.length === 2 && shown.length >= 2,
    );

    await cloud.stop();
    const offline = shown.length;
    await waitUntil('pictures without the cloud', () => shown.length >= offline + 3);
    const unreportedIds = shown.slice(offline, offline + 2).map((one) => one.id);
    if (meanwhile === 'was switched off') {
      await shell.kill();
      shell.stage.reload();
    }
    cloud.unpair();
    await cloud.start();
    if (meanwhile === 'was switched off') {
      await shell.start();
    }

    await waitUntil('a code', () => shell.stage.screen?.kind === 'pairing' && shell.stage.screen.code);
    await waitUntil('an empty stage', () => shell.stage.isEmpty);
    await waitUntil('an empty cache', () => readdirSync(join(dataDir, 'media')).length === 0);
    await shell.stop();
    const rows = rowsIn(join(dataDir, 'player.sqlite'));
    expect(rows).toEqual({ identity: 0, manifests: 0, positions: 0, plays: 0, samples: 0, commands: 0 });
    const copy = join(dataDir, 'identity.json');
    expect(existsSync(copy) ? readFileSync(copy, 'utf8') : '{}').toBe('{}');

    // After pairing again, plays of the previous device are not reported.
    await shell.start();
    cloud.confirmPairing();
    const again = shown.length;
    await waitUntil('pictures of the new pairing', () => shown.length >= again + 2);
    const fresh = shown[again]!.id;
    await waitUntil('a play of it', () => cloud.received.plays.some((play) => play.id === fresh));
    expect(cloud.received.plays.filter((play) => unreportedIds.includes(play.id))).toEqual([]);
  },
);
