import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test, vi, type TestContext } from 'vitest';
import { z } from 'zod';
import { takeDataFolder } from '../adapters/data-folder/data-folder.ts';
import { startFakeCloud, toldDifferently, type FakeCloud } from '../../test/support/fake-cloud.ts';
import { givePlaylist } from '../../test/support/manifests.ts';
import { noiseInto, noiseOver } from '../../test/support/noise.ts';
import { createShellDouble, type ShellDouble } from '../../test/support/shell-double.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { until } from '../../test/support/until.ts';

const newDataDir = ({ onTestFinished }: TestContext) => join(tempDir(onTestFinished), 'player');

function shellAt(
  context: TestContext,
  server: string,
  dataDir = newDataDir(context),
): { shell: ShellDouble; dataDir: string } {
  const shell = createShellDouble({ server, dataDir });
  context.onTestFinished(() => shell.end());
  return { shell, dataDir };
}

async function cloudWith(context: TestContext, names: string[], seconds = 1): Promise<FakeCloud> {
  const cloud = await startFakeCloud();
  context.onTestFinished(() => cloud.stop());
  givePlaylist(cloud, names, seconds);
  return cloud;
}

const statusIn = (dataDir: string) =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(join(dataDir, 'status.json'), 'utf8')));

// Real processes on a machine that has other things to do.
vi.setConfig({ testTimeout: 180_000 });

test.concurrent('pairs, downloads, plays and reports, as a process of its own', async (context) => {
  const cloud = await cloudWith(context, ['a', 'b']);
  const { shell, dataDir } = shellAt(context, cloud.url);
  await shell.start();
  await until(
    'a code on the screen',
    () => shell.stage.screen?.kind === 'pairing' && shell.stage.screen.code,
  );
  await until('the status', () => statusIn(dataDir).code === 'BCD-FGH');
  expect(statusIn(dataDir)).toMatchObject({ state: 'pairing', code: 'BCD-FGH', server: cloud.url });
  cloud.confirm();
  await until('a picture', () => shell.stage.current);
  await until('a play', () => cloud.seen.plays.length > 0);
  // Whichever file was there first is shown first.
  expect(cloud.seen.plays[0]).toMatchObject({
    content_id: expect.stringMatching(/^asset_[ab]$/),
    outcome: 'completed',
  });
  expect(statusIn(dataDir)).toMatchObject({
    state: 'paired',
    device_id: 'dev_1',
    connection: 'online',
    faults: [],
  });
  expect(cloud.seen.hellos).toMatchObject([{ type: 'hello', protocol: 1, manifest_revision: null }]);
  await until('a heartbeat', () => cloud.seen.heartbeats.length > 0);
  expect(cloud.seen.heartbeats[0]?.state.tz_version).toBe(process.versions.tz);
  for (const name of ['player.sqlite', 'identity.json', 'media']) {
    expect(statSync(join(dataDir, name)).mode & 0o077, name).toBe(0);
  }
  expect(await shell.stop()).toBe(0);
});

test.concurrent(
  'after kill -9 it goes on with the play that the page shows, and tells it once',
  async (context) => {
    const cloud = await cloudWith(context, ['a', 'b'], 3);
    const { shell } = shellAt(context, cloud.url);
    await shell.start();
    cloud.confirm();
    await until('a picture', () => shell.stage.shown.length > 0);
    const first = shell.stage.shown[0]!;
    await shell.kill();
    expect(shell.stage.current).toBe(first.url);
    await shell.start();
    await until('the play', () => cloud.seen.plays.some((play) => play.id === first.id));
    const play = cloud.seen.plays.find((one) => one.id === first.id)!;
    expect(play.outcome).toBe('completed');
    expect(play.duration_ms).toBeGreaterThanOrEqual(2_900);
    expect(toldDifferently(cloud)).toEqual([]);
    const shown = shell.stage.shown.map((one) => one.id);
    expect(cloud.seen.plays.filter((one) => !shown.includes(one.id))).toEqual([]);
  },
);

test.concurrent(
  'the first picture of what is held waits for no network, and goes before it',
  async (context) => {
    const cloud = await cloudWith(context, ['a', 'b']);
    const dataDir = newDataDir(context);
    const shell = createShellDouble({
      server: cloud.url,
      dataDir,
      env: { PLACARD_LOG_LEVEL: 'info' },
    });
    context.onTestFinished(() => shell.end());
    const logged = z.object({ time: z.number(), msg: z.string() });
    const when = (event: string) => {
      const lines = shell.logged.flatMap((line) =>
        line.startsWith('{') ? (logged.safeParse(JSON.parse(line)).data ?? []) : [],
      );
      return lines.find(({ msg }) => msg === event)?.time;
    };
    await shell.start();
    cloud.confirm();
    await until('both files', () => cloud.seen.mediaRequests.length === 2 && shell.stage.current);
    await shell.stop();
    shell.stage.reload();
    cloud.seen.connections.length = 0;
    shell.logged.length = 0;
    await shell.start();
    await until('the picture', () => when('play.started'));
    const connected = await until('the network', () => cloud.seen.connections[0]);
    // A page that takes longer than this is not waited for.
    const deadline = when('runtime.starting')! + 5_000;
    expect(connected).toBeGreaterThanOrEqual(Math.min(when('play.started')!, deadline));
  },
);

test.concurrent(
  'what is held plays with the cloud gone, and what was shown meanwhile arrives later',
  async (context) => {
    const cloud = await cloudWith(context, ['a', 'b']);
    const { shell } = shellAt(context, cloud.url);
    await shell.start();
    cloud.confirm();
    await until('two pictures', () => shell.stage.shown.length >= 2);
    await shell.stop();
    await cloud.stop();
    shell.stage.reload();
    const before = shell.stage.shown.length;
    await shell.start();
    await until('two more pictures', () => shell.stage.shown.length >= before + 2);
    await cloud.start();
    const shown = shell.stage.shown.slice(0, before + 1).map((one) => one.id);
    await until(
      'all plays',
      () => shown.every((id) => cloud.seen.plays.some((play) => play.id === id)),
      120_000,
    );
    const all = shell.stage.shown.map((one) => one.id);
    expect(cloud.seen.plays.filter((play) => !all.includes(play.id))).toEqual([]);
    expect(toldDifferently(cloud)).toEqual([]);
  },
  240_000,
);

test.concurrent(
  'another server is never given the token, and the way back needs no new pairing',
  async (context) => {
    const first = await cloudWith(context, ['a']);
    const second = await cloudWith(context, ['x']);
    const { shell, dataDir } = shellAt(context, first.url);
    await shell.start();
    first.confirm();
    await until('a picture', () => shell.stage.current);
    await shell.stop();
    const elsewhere = shellAt(context, second.url, dataDir);
    await elsewhere.shell.start();
    await until('a code', () => statusIn(dataDir).state === 'pairing' && statusIn(dataDir).code);
    expect([...second.seen.authorization]).toEqual([]);
    await elsewhere.shell.stop();
    const back = shellAt(context, first.url, dataDir);
    await back.shell.start();
    await until('the picture again', () => back.shell.stage.current);
    expect(first.seen.pairings).toBe(1);
  },
);

test.concurrent('a folder that another player uses is told, and ends it', async (context) => {
  const dataDir = newDataDir(context);
  const folder = takeDataFolder(dataDir);
  context.onTestFinished(() => folder.release());
  const { shell } = shellAt(context, 'http://127.0.0.1:1', dataDir);
  await shell.start();
  expect(shell.heard).toEqual([
    {
      type: 'fatal',
      message: expect.stringContaining('Another player already uses this data folder'),
      exitCode: 1,
    },
  ]);
  await until('the end', () => shell.child === null);
});

test.concurrent('a folder that cannot be written is told with its name', async (context) => {
  const dir = tempDir(context.onTestFinished);
  writeFileSync(join(dir, 'file'), '');
  const { shell } = shellAt(context, 'http://127.0.0.1:1', join(dir, 'file'));
  await shell.start();
  expect(shell.heard).toEqual([
    { type: 'fatal', message: expect.stringContaining(join(dir, 'file')), exitCode: 1 },
  ]);
});

test.concurrent('it ends when its shell is gone', async (context) => {
  const { shell } = shellAt(context, 'http://127.0.0.1:1');
  await shell.start();
  shell.child?.disconnect();
  await until('the end', () => shell.child === null);
  // A page may have been asked for just before.
  const heard = shell.heard.map(({ type }) => type);
  expect(heard.filter((type) => type !== 'page' && type !== 'alive')).toEqual(['ready']);
});

test.concurrent('it lets its shell hear that it is alive', async (context) => {
  const { shell } = shellAt(context, 'http://127.0.0.1:1');
  await shell.start();
  const words = () => shell.heard.filter(({ type }) => type === 'alive').length;
  expect(await until('word of it, again and again', () => words() > 1)).toBe(true);
});

test.concurrent('a damaged database costs neither the pairing nor a download', async (context) => {
  const cloud = await cloudWith(context, ['a', 'b']);
  const { shell, dataDir } = shellAt(context, cloud.url);
  await shell.start();
  cloud.confirm();
  await until('both files', () => cloud.seen.mediaRequests.length === 2 && shell.stage.shown.length >= 2);
  await shell.stop();
  writeFileSync(join(dataDir, 'player.sqlite'), 'noise '.repeat(5_000));
  shell.stage.reload();
  const before = shell.stage.shown.length;
  await shell.start();
  await until('a picture', () => shell.stage.shown.length > before);
  expect(cloud.seen.mediaRequests).toHaveLength(2);
  expect(cloud.seen.pairings).toBe(1);
  expect(statusIn(dataDir)).toMatchObject({ faults: [{ code: 'store.corrupt' }] });
});

test.concurrent(
  'a database that is damaged in part leaves the picture and the plays, also without the cloud',
  async (context) => {
    const cloud = await cloudWith(context, ['a', 'b']);
    const { shell, dataDir } = shellAt(context, cloud.url);
    const { shown } = shell.stage;
    await shell.start();
    cloud.confirm();
    await until('both files', () => cloud.seen.mediaRequests.length === 2 && shown.length >= 2);
    await until('what is held', () => statusIn(dataDir).held_revision === 'r1');
    await cloud.stop();
    const offline = shown.length;
    await until('pictures without the cloud', () => shown.length >= offline + 3);
    await shell.stop();
    noiseInto(join(dataDir, 'player.sqlite'), 'media');
    shell.stage.reload();
    const before = shown.length;
    await shell.start();
    await until('a picture', () => shown.length > before + 1);
    await until('what was salvaged', () => statusIn(dataDir).held_revision === 'salvaged');
    await cloud.start();
    await until('a sound manifest', () => statusIn(dataDir).held_revision === 'r1');
    const untold = shown.slice(offline, offline + 2).map((one) => one.id);
    await until('the plays', () => untold.every((id) => cloud.seen.plays.some((play) => play.id === id)));
    expect(cloud.seen.mediaRequests).toHaveLength(2);
  },
);

/** Plays that wait on the disk for the cloud: more of them than SQLite keeps in memory. */
function leavePlays(file: string, server: string): void {
  const db = new Database(file);
  const insert = db.prepare(
    `INSERT INTO plays (id, server, state, draft, started_at, ended_at, duration_ms, outcome)
     VALUES (?, ?, 'closed', ?, ?, ?, 1000, 'completed')`,
  );
  const draft = { playlistId: 'pl', contentId: 'asset_a', sha256: '', kind: 'image', durationMs: 1_000 };
  const rest = { scheduleId: null, ruleId: null, videoEndMs: null, itemId: 'a'.repeat(400) };
  const firstMs = Date.now() - 86_400_000;
  db.transaction(() => {
    for (let n = 0; n < 40_000; n++) {
      const id = `play_${String(n).padStart(26, '0')}`;
      insert.run(id, server, JSON.stringify({ ...draft, ...rest, id }), firstMs + n, firstMs + n + 1_000);
    }
  })();
  db.close();
}

test.concurrent(
  'a database that is damaged while it is in use costs a restart, and neither picture nor pairing',
  async (context) => {
    const cloud = await cloudWith(context, ['a', 'b']);
    const { shell, dataDir } = shellAt(context, cloud.url);
    await shell.start();
    cloud.confirm();
    await until('both files', () => cloud.seen.mediaRequests.length === 2 && shell.stage.shown.length >= 2);
    await shell.stop();
    leavePlays(join(dataDir, 'player.sqlite'), cloud.url);
    cloud.script('/v1/player/plays', (_, response) => response.writeHead(503).end());
    await shell.start();
    const first = shell.stage.shown.length;
    await until('the next pictures', () => shell.stage.shown.length > first + 1);
    for (const name of ['player.sqlite', 'player.sqlite-wal']) noiseOver(join(dataDir, name));
    cloud.script('/v1/player/plays', null);
    await until('the end of the process', () => shell.child === null, 120_000);
    expect(shell.stage.current).not.toBe(null);
    const before = shell.stage.shown.length;
    await shell.start();
    await until('the next pictures', () => shell.stage.shown.length > before + 1);
    await until('the fault', () => JSON.stringify(statusIn(dataDir).faults).includes('store.corrupt'));
    expect(cloud.seen.mediaRequests).toHaveLength(2);
    expect(cloud.seen.pairings).toBe(1);
  },
  240_000,
);
