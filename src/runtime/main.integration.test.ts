import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import type { TestContext } from 'vitest';
import { z } from 'zod';
import { acquireDataFolder } from '../adapters/data-folder/data-folder.ts';
import { startFakeCloud, playsResentWithChanges } from '../../test/support/fake-cloud.ts';
import type { FakeCloud } from '../../test/support/fake-cloud.ts';
import { publishPlaylist } from '../../test/support/manifests.ts';
import { corruptTable, corruptFile } from '../../test/support/corrupt-file.ts';
import { createFakeShell } from '../../test/support/fake-shell.ts';
import type { FakeShell } from '../../test/support/fake-shell.ts';
import { eventually } from '../../test/support/eventually.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

const newDataDir = ({ onTestFinished }: TestContext) => join(tempDir(onTestFinished), 'player');

function shellAt(
  context: TestContext,
  server: string,
  dataDir = newDataDir(context),
): { shell: FakeShell; dataDir: string } {
  const shell = createFakeShell({ server, dataDir });
  context.onTestFinished(() => shell.dispose());
  return { shell, dataDir };
}

async function cloudWith(context: TestContext, names: string[], seconds = 1): Promise<FakeCloud> {
  const cloud = await startFakeCloud();
  context.onTestFinished(() => cloud.stop());
  publishPlaylist(cloud, names, seconds);
  return cloud;
}

const statusIn = (dataDir: string) =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(join(dataDir, 'status.json'), 'utf8')));

/** The file is written a moment after what it says has happened. */
const untilStatus = (dataDir: string, expected: object) =>
  eventually(() => expect(statusIn(dataDir)).toMatchObject(expected));

// Generous timeouts: real processes on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

test.concurrent('pairs, downloads, plays and reports in a real process', async (context) => {
  const cloud = await cloudWith(context, ['a', 'b']);
  const { shell, dataDir } = shellAt(context, cloud.url);
  await shell.start();
  await waitUntil(
    'a code on the screen',
    () => shell.stage.screen?.kind === 'pairing' && shell.stage.screen.code,
  );
  await untilStatus(dataDir, { state: 'pairing', code: 'BCD-FGH', server: cloud.url });
  cloud.confirmPairing();
  await waitUntil('a picture', () => shell.stage.current);
  await waitUntil('a play', () => cloud.received.plays.length > 0);
  // The file that was downloaded first is shown first.
  expect(cloud.received.plays[0]).toMatchObject({
    content_id: expect.stringMatching(/^asset_[ab]$/),
    outcome: 'completed',
  });
  await untilStatus(dataDir, { state: 'paired', device_id: 'dev_1', connection: 'online', faults: [] });
  await waitUntil('a greeting', () => cloud.received.helloMessages.length > 0);
  expect(cloud.received.helloMessages).toMatchObject([
    {
      type: 'hello',
      protocol: 1,
      // The manifest may have arrived before the socket is open.
      manifest_revision: expect.toBeOneOf([null, 'r1']),
      boot_id: expect.any(String),
    },
  ]);
  await waitUntil('a heartbeat', () => cloud.received.heartbeats.length > 0);
  expect(cloud.received.heartbeats[0]?.state.tz_version).toBe(process.versions.tz);
  for (const name of ['player.sqlite', 'identity.json', 'media']) {
    expect(statSync(join(dataDir, name)).mode & 0o077, name).toBe(0);
  }
  expect(await shell.stop()).toBe(0);
});

test.concurrent('after kill -9 the play on the page continues and is reported once', async (context) => {
  const cloud = await cloudWith(context, ['a', 'b'], 3);
  const { shell } = shellAt(context, cloud.url);
  await shell.start();
  cloud.confirmPairing();
  await waitUntil('a picture', () => shell.stage.shown.length > 0);
  const first = shell.stage.shown[0]!;
  await shell.kill();
  expect(shell.stage.current).toBe(first.url);
  await shell.start();
  await waitUntil('the play', () => cloud.received.plays.some((play) => play.id === first.id));
  const play = cloud.received.plays.find((one) => one.id === first.id)!;
  expect(play.outcome).toBe('completed');
  expect(play.duration_ms).toBeGreaterThanOrEqual(2_900);
  expect(playsResentWithChanges(cloud)).toEqual([]);
  const shown = shell.stage.shown.map((one) => one.id);
  expect(cloud.received.plays.filter((one) => !shown.includes(one.id))).toEqual([]);
});

test.concurrent('the first picture of the held manifest is shown before any networking', async (context) => {
  const cloud = await cloudWith(context, ['a', 'b']);
  const dataDir = newDataDir(context);
  const shell = createFakeShell({
    server: cloud.url,
    dataDir,
    env: { PLACARD_LOG_LEVEL: 'info' },
  });
  context.onTestFinished(() => shell.dispose());
  const logged = z.object({ time: z.number(), msg: z.string() });
  const when = (event: string) => {
    const lines = shell.logLines.flatMap((line) =>
      line.startsWith('{') ? (logged.safeParse(JSON.parse(line)).data ?? []) : [],
    );
    return lines.find(({ msg }) => msg === event)?.time;
  };
  await shell.start();
  cloud.confirmPairing();
  await waitUntil('both files', () => cloud.received.mediaRequests.length === 2 && shell.stage.current);
  await shell.stop();
  shell.stage.reload();
  cloud.received.connectionTimesMs.length = 0;
  shell.logLines.length = 0;
  await shell.start();
  await waitUntil('the picture', () => when('play.started'));
  const connected = await waitUntil('the network', () => cloud.received.connectionTimesMs[0]);
  // Networking does not wait longer than this for a page.
  const deadline = when('runtime.started')! + 5_000;
  expect(connected).toBeGreaterThanOrEqual(Math.min(when('play.started')!, deadline));
});

test.concurrent(
  'the held manifest plays without the cloud, and the plays arrive later',
  async (context) => {
    const cloud = await cloudWith(context, ['a', 'b']);
    const { shell } = shellAt(context, cloud.url);
    await shell.start();
    cloud.confirmPairing();
    await waitUntil('two pictures', () => shell.stage.shown.length >= 2);
    await shell.stop();
    await cloud.stop();
    shell.stage.reload();
    const before = shell.stage.shown.length;
    await shell.start();
    await waitUntil('two more pictures', () => shell.stage.shown.length >= before + 2);
    await cloud.start();
    const shown = shell.stage.shown.slice(0, before + 1).map((one) => one.id);
    await waitUntil(
      'all plays',
      () => shown.every((id) => cloud.received.plays.some((play) => play.id === id)),
      120_000,
    );
    const all = shell.stage.shown.map((one) => one.id);
    expect(cloud.received.plays.filter((play) => !all.includes(play.id))).toEqual([]);
    expect(playsResentWithChanges(cloud)).toEqual([]);
  },
  240_000,
);

test.concurrent(
  'the token is never sent to another server, and switching back needs no new pairing',
  async (context) => {
    const first = await cloudWith(context, ['a']);
    const second = await cloudWith(context, ['x']);
    const { shell, dataDir } = shellAt(context, first.url);
    await shell.start();
    first.confirmPairing();
    await waitUntil('a picture', () => shell.stage.current);
    await shell.stop();
    const secondRun = shellAt(context, second.url, dataDir);
    await secondRun.shell.start();
    await waitUntil('a code', () => statusIn(dataDir).state === 'pairing' && statusIn(dataDir).code);
    expect([...second.received.authorizationHeaders]).toEqual([]);
    await secondRun.shell.stop();
    const thirdRun = shellAt(context, first.url, dataDir);
    await thirdRun.shell.start();
    await waitUntil('the picture again', () => thirdRun.shell.stage.current);
    expect(first.received.pairingStarts).toBe(1);
  },
);

test.concurrent('a data folder in use by another player is a fatal error', async (context) => {
  const dataDir = newDataDir(context);
  const folder = acquireDataFolder(dataDir);
  context.onTestFinished(() => folder.release());
  const { shell } = shellAt(context, 'http://127.0.0.1:1', dataDir);
  await shell.start();
  expect(shell.receivedMessages).toEqual([
    {
      type: 'fatal',
      message: expect.stringContaining('Another player already uses this data folder'),
      exitCode: 1,
    },
  ]);
  await waitUntil('the end', () => shell.child === null);
});

test.concurrent('a data folder that cannot be written is a fatal error that names it', async (context) => {
  const dir = tempDir(context.onTestFinished);
  writeFileSync(join(dir, 'file'), '');
  const { shell } = shellAt(context, 'http://127.0.0.1:1', join(dir, 'file'));
  await shell.start();
  expect(shell.receivedMessages).toEqual([
    { type: 'fatal', message: expect.stringContaining(join(dir, 'file')), exitCode: 1 },
  ]);
});

test.concurrent('the runtime exits when its shell is gone', async (context) => {
  const { shell } = shellAt(context, 'http://127.0.0.1:1');
  await shell.start();
  shell.child?.disconnect();
  await waitUntil('the end', () => shell.child === null);
  // A page may have been requested just before.
  const types = shell.receivedMessages.map(({ type }) => type);
  expect(types.filter((type) => type !== 'page' && type !== 'alive')).toEqual(['ready']);
});

test.concurrent('the runtime sends `alive` to its shell repeatedly', async (context) => {
  const { shell } = shellAt(context, 'http://127.0.0.1:1');
  await shell.start();
  const aliveCount = () => shell.receivedMessages.filter(({ type }) => type === 'alive').length;
  expect(await waitUntil('repeated alive messages', () => aliveCount() > 1)).toBe(true);
});

test.concurrent('a damaged database loses neither the pairing nor downloaded files', async (context) => {
  const cloud = await cloudWith(context, ['a', 'b']);
  const { shell, dataDir } = shellAt(context, cloud.url);
  await shell.start();
  cloud.confirmPairing();
  await waitUntil(
    'both files',
    () => cloud.received.mediaRequests.length === 2 && shell.stage.shown.length >= 2,
  );
  await shell.stop();
  writeFileSync(join(dataDir, 'player.sqlite'), 'noise '.repeat(5_000));
  shell.stage.reload();
  const before = shell.stage.shown.length;
  await shell.start();
  await waitUntil('a picture', () => shell.stage.shown.length > before);
  expect(cloud.received.mediaRequests).toHaveLength(2);
  expect(cloud.received.pairingStarts).toBe(1);
  await untilStatus(dataDir, { faults: [{ code: 'store.corrupt' }] });
});

test.concurrent(
  'a partly damaged database keeps playback and plays, also without the cloud',
  async (context) => {
    const cloud = await cloudWith(context, ['a', 'b']);
    const { shell, dataDir } = shellAt(context, cloud.url);
    const { shown } = shell.stage;
    await shell.start();
    cloud.confirmPairing();
    await waitUntil('both files', () => cloud.received.mediaRequests.length === 2 && shown.length >= 2);
    await waitUntil('what is held', () => statusIn(dataDir).held_revision === 'r1');
    await cloud.stop();
    const offline = shown.length;
    await waitUntil('pictures without the cloud', () => shown.length >= offline + 3);
    await shell.stop();
    corruptTable(join(dataDir, 'player.sqlite'), 'media');
    shell.stage.reload();
    const before = shown.length;
    await shell.start();
    await waitUntil('a picture', () => shown.length > before + 1);
    await waitUntil('what was salvaged', () => statusIn(dataDir).held_revision === 'salvaged');
    await cloud.start();
    await waitUntil('a sound manifest', () => statusIn(dataDir).held_revision === 'r1');
    const unreportedIds = shown.slice(offline, offline + 2).map((one) => one.id);
    await waitUntil('the plays', () =>
      unreportedIds.every((id) => cloud.received.plays.some((play) => play.id === id)),
    );
    expect(cloud.received.mediaRequests).toHaveLength(2);
  },
);

/** Inserts pending plays into the database: more than SQLite's page cache holds. */
function insertPendingPlays(file: string, server: string): void {
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
  'a database damaged while in use causes a restart, but loses neither picture nor pairing',
  async (context) => {
    const cloud = await cloudWith(context, ['a', 'b']);
    const { shell, dataDir } = shellAt(context, cloud.url);
    await shell.start();
    cloud.confirmPairing();
    await waitUntil(
      'both files',
      () => cloud.received.mediaRequests.length === 2 && shell.stage.shown.length >= 2,
    );
    await shell.stop();
    insertPendingPlays(join(dataDir, 'player.sqlite'), cloud.url);
    cloud.handleRoute('/v1/player/plays', (_, response) => response.writeHead(503).end());
    await shell.start();
    const first = shell.stage.shown.length;
    await waitUntil('the next pictures', () => shell.stage.shown.length > first + 1);
    for (const name of ['player.sqlite', 'player.sqlite-wal']) {
      corruptFile(join(dataDir, name));
    }
    cloud.handleRoute('/v1/player/plays', null);
    await waitUntil('the end of the process', () => shell.child === null, 120_000);
    expect(shell.stage.current).not.toBe(null);
    const before = shell.stage.shown.length;
    await shell.start();
    await waitUntil('the next pictures', () => shell.stage.shown.length > before + 1);
    await waitUntil('the fault', () => JSON.stringify(statusIn(dataDir).faults).includes('store.corrupt'));
    expect(cloud.received.mediaRequests).toHaveLength(2);
    expect(cloud.received.pairingStarts).toBe(1);
  },
  240_000,
);
