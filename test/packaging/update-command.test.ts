import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CommandStatusRequest } from '@placard/protocol';
import { Agent } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { signFeed } from '../../scripts/release/feed-file.ts';
import type { Store } from '../../src/core/ports.ts';
import { createUpdateService } from '../../src/adapters/updater/update-service.ts';
import { createBell } from '../../src/runtime/bell.ts';
import { createCommandLoop, type CommandActs } from '../../src/runtime/services/command-loop.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { createQuietLog } from '../support/quiet-log.ts';
import { until } from '../support/until.ts';
import { ARCH, boxWithPlayer, cannotUpdate, manifestOf, type UpdateBox } from './update-box.ts';
import { startUpdateServer, type UpdateServer } from './update-server.ts';

/** UPDATE_CHECK on a whole box: player, update server, privileged helper and dpkg are real, the power is cut. */

const WELL = { pictureShown: true, storeOpen: true, cloud: 'reached' } as const;
const agent = new Agent();

let box: UpdateBox;
let server: UpdateServer;
let clock: ManualClock;
let store: Store;
let healthy: boolean;
let told: CommandStatusRequest[];
let player: { stop(): Promise<void>; command(id: string): void } | null;
let launches = 0;

async function freshBox(): Promise<void> {
  box = boxWithPlayer();
  clock = createManualClock();
  store = createMemoryStore();
  healthy = true;
  told = [];
  await playerStarts();
}

async function powerIsCut(): Promise<void> {
  const leaving = player;
  player = null;
  await leaving?.stop();
}

const none = () => Promise.reject(new Error('not in this test'));

/** The part of the version on the disk that is about updates; nothing of the run before it is left but the store. */
async function playerStarts(): Promise<void> {
  await powerIsCut();
  box.playerStarts();
  const stopping = new AbortController();
  const log = createQuietLog();
  const random = { next: () => 0.5, bytes: () => new Uint8Array() };
  const updates = createUpdateService({
    env: { PLACARD_UPDATE_FEED: `${server.url}feed.json`, PLACARD_UPDATE_FOLDER: dirname(box.inbox) },
    platform: 'linux',
    arch: ARCH === 'amd64' ? 'x64' : ARCH,
    shell: 'electron',
    version: box.player(),
    deviceId: () => 'dev_1',
    timezone: () => 'UTC',
    vitals: () => ({ ...WELL, pictureShown: healthy }),
    dispatcher: agent,
    clock,
    random,
    log,
    releaseKeyPem: box.releaseKeyPem,
  });
  const acts: CommandActs = {
    REFRESH: async () => ({ stage: 'succeeded', result: {} }),
    REBOOT: none,
    APP_RESTART: none,
    async UPDATE_CHECK(signal, { before, tell }) {
      const report = await updates.update({ before, tell: (now) => tell({ ...now }) }, signal);
      const failed = report.outcome === 'failed' || report.outcome === 'rolled_back';
      return { stage: failed ? 'failed' : 'succeeded', result: { ...report } };
    },
  };
  const commands = createCommandLoop({
    clock,
    random,
    store,
    link: {
      manifest: none,
      heartbeat: none,
      plays: none,
      listen: none,
      async commandStatus(_id, status) {
        told.push(status);
        return { kind: 'ok' };
      },
    },
    bell: createBell(clock),
    launch: { bootId: 'boot', launchId: `launch-${++launches}` },
    uptimeSeconds: () => 60,
    acts,
    onUnpaired() {},
    log,
  });
  const running = Promise.all([commands.run(stopping.signal), updates.run(stopping.signal)]);
  player = {
    async stop() {
      stopping.abort();
      await running;
    },
    command: (id) =>
      commands.accept([
        { id, command: 'UPDATE_CHECK', expires_at: new Date(clock.wall() + 600_000).toISOString() },
      ]),
  };
}

/** Seconds pass until it is so. */
const soon = (what: string, isSo: () => boolean) =>
  until(what, async () => isSo() || (await clock.advance(2_000).then(isSo)));

function publish(file: string, version: string, more: { arch?: string; key?: KeyObject } = {}): void {
  const keyFile = join(box.folder, 'release.key');
  box.writePrivateKey(keyFile);
  const key = more.key ?? createPrivateKey(readFileSync(keyFile));
  const bytes = readFileSync(file);
  const manifest = { ...manifestOf(bytes, version), arch: more.arch ?? ARCH };
  server.put(basename(file), bytes);
  const offers = [{ manifest, url: basename(file), channel: 'stable' as const, rolloutPercent: 100 }];
  server.put('feed.json', signFeed(null, { offers, block: [] }, key));
}

/** Time passes until the version on trial has counted as healthy, or its trial is over. */
const getsWell = () =>
  until(
    'its health',
    async () => {
      await clock.advance(5_000);
      return existsSync(join(box.inbox, 'healthy')) || box.state()?.phase !== 'trial';
    },
    50_000,
    5,
  );

const STEPS = ['downloading', 'staged', 'installing', 'confirmed'];
const outcomes = () =>
  told.map(({ result }) => result?.['outcome']).filter((outcome) => outcome !== undefined);
const ended = () => ['succeeded', 'failed'].includes(told.at(-1)?.status ?? '');
const handedOver = () => told.at(-1)?.result?.['outcome'] === 'installing';

describe.skipIf(cannotUpdate)('UPDATE_CHECK', () => {
  beforeEach(async () => {
    server = await startUpdateServer();
    await freshBox();
  });
  afterEach(async () => {
    await powerIsCut();
    await server.close();
    box.remove();
  });

  test('brings a good version, and tells so after the restart', async () => {
    publish(box.deb({ version: '0.2.0' }), '0.2.0');
    player?.command('cmd_1');
    await soon('it to be handed over', handedOver);
    box.run();
    await playerStarts();
    await getsWell();
    box.run();
    expect(box.state()?.phase).toBe('idle');
    await soon('the end', ended);
    expect(told[0]).toEqual({ status: 'acknowledged' });
    // What was over before the cloud could be told is left out; the order is that of the steps.
    expect(outcomes()).toEqual(STEPS.filter((step) => outcomes().includes(step)));
    expect(outcomes().slice(-2)).toEqual(['installing', 'confirmed']);
    expect(told.at(-1)?.result).toMatchObject({ from: '0.1.0', to: '0.2.0', code: null });
    expect(box.player()).toBe('0.2.0');
  });

  test('tells of a version that did not get well, and that the one before runs again', async () => {
    publish(box.deb({ version: '0.2.0' }), '0.2.0');
    player?.command('cmd_1');
    await soon('it to be handed over', handedOver);
    box.run();
    healthy = false;
    await playerStarts();
    box.minutesPass(10);
    box.run();
    healthy = true;
    await playerStarts();
    await soon('the end', ended);
    expect(told.at(-1)).toMatchObject({
      status: 'failed',
      result: { outcome: 'rolled_back', code: 'unhealthy', from: '0.1.0', to: '0.2.0' },
    });
    expect(box.player()).toBe('0.1.0');

    player?.command('cmd_2');
    await soon('the next end', () => told.at(-1)?.status === 'succeeded');
    expect(told.at(-1)?.result).toMatchObject({ outcome: 'up_to_date', code: 'blocked', to: '0.2.0' });
  });

  test('goes on with a download that broke off', async () => {
    const file = box.deb({ version: '0.2.0' });
    publish(file, '0.2.0');
    server.stopNext(basename(file), 1_000);
    player?.command('cmd_1');
    await until('the download to begin', () => server.requests.some(({ path }) => path.endsWith('.deb')));
    await soon('the part', () => readFileSync(join(box.inbox, '0.2.0.part')).length === 1_000);
    server.cutConnections();
    await soon('the end', ended);
    expect(told.at(-1)).toMatchObject({ status: 'failed', result: { code: 'download_failed' } });
    player?.command('cmd_2');
    await soon('it to be handed over', handedOver);
    expect(server.requests.at(-1)?.range).toBe('bytes=1000-');
    box.run();
    expect(box.player()).toBe('0.2.0');
  });

  test.each([
    ['a feed of another key', { key: generateKeyPairSync('ed25519').privateKey }, 'failed', 'bad_signature'],
    ['another architecture', { arch: 'riscv64' }, 'succeeded', null],
  ] as const)('takes nothing from %s', async (_what, more, status, code) => {
    publish(box.deb({ version: '0.2.0' }), '0.2.0', more);
    player?.command('cmd_1');
    await soon('the end', ended);
    expect(told.at(-1)).toMatchObject({ status, result: { code } });
    expect(box.player()).toBe('0.1.0');
  });

  test('takes no older version', async () => {
    publish(box.deb({ version: '0.0.9' }), '0.0.9');
    player?.command('cmd_1');
    await soon('the end', ended);
    expect(told.at(-1)).toMatchObject({ status: 'succeeded', result: { outcome: 'up_to_date', code: null } });
    expect(box.player()).toBe('0.1.0');
  });

  test('tells what the helper had against a package', async () => {
    publish(box.deb({ version: '0.1.5' }), '0.2.0');
    player?.command('cmd_1');
    await soon('it to be handed over', handedOver);
    box.run();
    await soon('the end', ended);
    expect(told.at(-1)).toMatchObject({
      status: 'failed',
      result: { outcome: 'failed', code: 'wrong_contents' },
    });
    expect(box.player()).toBe('0.1.0');
  });

  test('comes to its end though the power is cut at any step, and the box always has a player', async () => {
    let steps = 0;
    for (let cut = true; cut; steps++) {
      const step = steps + 1;
      publish(box.deb({ version: '0.2.0' }), '0.2.0');
      player?.command('cmd_1');
      await soon('it to be handed over', handedOver);
      const { killed } = box.run({ PLACARD_UPDATE_DIE_AT: String(step) });
      cut = killed;
      expect(['0.1.0', '0.2.0'], `after a cut at step ${step}`).toContain(box.player());
      await powerIsCut();
      box.boot();
      await playerStarts();
      await until('the helper to be done', async () => {
        await getsWell();
        box.run();
        return box.state()?.phase === 'idle';
      });
      await soon('the end', ended);
      expect(told.at(-1), `after a cut at step ${step}`).toMatchObject({
        status: 'succeeded',
        result: { outcome: 'confirmed', from: '0.1.0', to: '0.2.0' },
      });
      expect(box.player()).toBe('0.2.0');
      await powerIsCut();
      box.remove();
      await freshBox();
    }
    expect(steps).toBeGreaterThan(10);
  });
});
