import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CommandStatusRequest } from '@placard/protocol';
import { Agent } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { signFeed } from '../../scripts/release/feed-file.ts';
import type { DeviceLink, PlayerDatabase } from '../../src/core/ports.ts';
import { createWakeup } from '../../src/runtime/base/wakeup.ts';
import { createCommandActions } from '../../src/runtime/services/command-actions.ts';
import { createCommandLoop } from '../../src/runtime/services/command-loop.ts';
import { createManualClock } from '../support/manual-clock.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { createMemoryDatabase } from '../support/memory-database.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { waitUntil } from '../support/wait-until.ts';
import { createPlayerUpdates } from './player-updates.ts';
import {
  ARCH,
  createSandboxWithPlayer,
  updateSkipReason,
  manifestOf,
  POWER_CUT_STRIDE,
} from './update-sandbox.ts';
import type { UpdateSandbox } from './update-sandbox.ts';
import { startUpdateServer } from './update-server.ts';
import type { UpdateServer } from './update-server.ts';

/** UPDATE_CHECK on a whole device: player, update server, update helper and dpkg are real, power cuts are simulated. */

/** `update-power-cut.test.ts` has the helper at three times as many steps. */
const CUT_STRIDE = POWER_CUT_STRIDE === 1 ? 1 : 3 * POWER_CUT_STRIDE;
const HEALTHY = { hasShownPicture: true, isDatabaseOpen: true, cloud: 'reached' } as const;
const agent = new Agent();

let sandbox: UpdateSandbox;
let server: UpdateServer;
let clock: ManualClock;
let database: PlayerDatabase;
let healthy: boolean;
let reportedStatuses: CommandStatusRequest[];
let player: { stop(): Promise<void>; command(id: string): void } | null;
let launches = 0;

async function startFreshSandbox(): Promise<void> {
  sandbox = createSandboxWithPlayer();
  clock = createManualClock();
  database = createMemoryDatabase();
  healthy = true;
  reportedStatuses = [];
  await startPlayer();
}

async function cutPower(): Promise<void> {
  const stoppedPlayer = player;
  player = null;
  await stoppedPlayer?.stop();
}

const none = () => Promise.reject(new Error('not in this test'));

/** Starts the update services of the installed version; only the database is kept from the previous run. */
async function startPlayer(): Promise<void> {
  await cutPower();
  sandbox.startPlayer();
  const stopping = new AbortController();
  const log = createRecordingLog();
  const random = { next: () => 0.5, bytes: () => new Uint8Array() };
  const updates = createPlayerUpdates({
    env: { PLACARD_UPDATE_FEED: `${server.url}feed.json`, PLACARD_UPDATE_FOLDER: dirname(sandbox.inbox) },
    arch: ARCH === 'amd64' ? 'x64' : ARCH,
    shell: 'electron',
    version: sandbox.installedVersion(),
    timezone: 'UTC',
    healthSignals: () => ({ ...HEALTHY, hasShownPicture: healthy }),
    dispatcher: agent,
    clock,
    log,
    releaseKeyPem: sandbox.releaseKeyPem,
  });
  const link: DeviceLink = {
    fetchManifest: none,
    sendHeartbeat: none,
    sendPlays: none,
    sendScreenshot: none,
    sendLogs: none,
    answerLive: none,
    sendCapabilities: none,
    openSocket: none,
    async reportCommandStatus(_id, status) {
      reportedStatuses.push(status);
      return { kind: 'ok' };
    },
  };
  const actions = createCommandActions({
    clock,
    link,
    machine: { reboot: none },
    updater: updates,
    takeScreenshot: none,
    supportBundle: { pack: none },
    status: () => ({}),
    refresh: none,
    onUnpaired() {},
    reloadPage() {},
    restartPlayer() {},
  });
  const commands = createCommandLoop({
    clock,
    random,
    database,
    link,
    wakeup: createWakeup(clock),
    launch: { bootId: 'boot', launchId: `launch-${++launches}` },
    uptimeSeconds: () => 60,
    actions,
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
        { id, command: 'UPDATE_CHECK', expires_at: new Date(clock.wallMs() + 600_000).toISOString() },
      ]),
  };
}

/** Advances the clock until the condition holds. */
const soon = (what: string, isSo: () => boolean) =>
  waitUntil(what, async () => isSo() || (await clock.advance(2_000).then(isSo)));

function publish(file: string, version: string, more: { arch?: string; key?: KeyObject } = {}): void {
  const keyFile = join(sandbox.folder, 'release.key');
  sandbox.writePrivateKey(keyFile);
  const key = more.key ?? createPrivateKey(readFileSync(keyFile));
  const bytes = readFileSync(file);
  const manifest = { ...manifestOf(bytes, version), arch: more.arch ?? ARCH };
  server.put(basename(file), bytes);
  const entries = [{ manifest, url: basename(file), channel: 'stable' as const, rolloutPercent: 100 }];
  server.put('feed.json', signFeed(null, { entries, block: [] }, key));
}

/** Advances the clock until the version on trial has reported health, or its trial is over. */
const getsWell = () =>
  waitUntil(
    'its health',
    async () => {
      await clock.advance(5_000);
      return existsSync(join(sandbox.inbox, 'healthy')) || sandbox.state()?.phase !== 'trial';
    },
    50_000,
    5,
  );

const STEPS = ['downloading', 'staged', 'installing', 'confirmed'];
const outcomes = () =>
  reportedStatuses.map(({ result }) => result?.['outcome']).filter((outcome) => outcome !== undefined);
const ended = () => ['succeeded', 'failed'].includes(reportedStatuses.at(-1)?.status ?? '');
const handedOver = () => reportedStatuses.at(-1)?.result?.['outcome'] === 'installing';

describe.skipIf(updateSkipReason)('UPDATE_CHECK', () => {
  beforeEach(async () => {
    server = await startUpdateServer();
    await startFreshSandbox();
  });
  afterEach(async () => {
    await cutPower();
    await server.close();
    sandbox.remove();
  });

  test('installs a good version, and reports it after the restart', async () => {
    publish(sandbox.deb({ version: '0.2.0' }), '0.2.0');
    player?.command('cmd_1');
    await soon('it to be handed over', handedOver);
    sandbox.run();
    await startPlayer();
    await getsWell();
    sandbox.run();
    expect(sandbox.state()?.phase).toBe('idle');
    await soon('the end', ended);
    expect(reportedStatuses[0]).toEqual({ status: 'acknowledged' });
    // Steps that ended before they could be reported are left out; the order is kept.
    expect(outcomes()).toEqual(STEPS.filter((step) => outcomes().includes(step)));
    expect(outcomes().slice(-2)).toEqual(['installing', 'confirmed']);
    expect(reportedStatuses.at(-1)?.result).toMatchObject({ from: '0.1.0', to: '0.2.0', code: null });
    expect(sandbox.installedVersion()).toBe('0.2.0');
  });

  test('reports a version that did not become healthy, and the rollback', async () => {
    publish(sandbox.deb({ version: '0.2.0' }), '0.2.0');
    player?.command('cmd_1');
    await soon('it to be handed over', handedOver);
    sandbox.run();
    healthy = false;
    await startPlayer();
    sandbox.advanceMinutes(10);
    sandbox.run();
    healthy = true;
    await startPlayer();
    await soon('the end', ended);
    expect(reportedStatuses.at(-1)).toMatchObject({
      status: 'failed',
      result: { outcome: 'rolled_back', code: 'unhealthy', from: '0.1.0', to: '0.2.0' },
    });
    expect(sandbox.installedVersion()).toBe('0.1.0');

    player?.command('cmd_2');
    await soon('the next end', () => reportedStatuses.at(-1)?.status === 'succeeded');
    expect(reportedStatuses.at(-1)?.result).toMatchObject({
      outcome: 'up_to_date',
      code: 'blocked',
      to: '0.2.0',
    });
  });

  test('resumes an interrupted download', async () => {
    const file = sandbox.deb({ version: '0.2.0' });
    publish(file, '0.2.0');
    server.breakNextResponse(basename(file), 1_000);
    player?.command('cmd_1');
    await waitUntil('the download to begin', () => server.requests.some(({ path }) => path.endsWith('.deb')));
    await soon('the part', () => readFileSync(join(sandbox.inbox, '0.2.0.part')).length === 1_000);
    server.cutConnections();
    await soon('the end', ended);
    expect(reportedStatuses.at(-1)).toMatchObject({ status: 'failed', result: { code: 'download_failed' } });
    player?.command('cmd_2');
    await soon('it to be handed over', handedOver);
    expect(server.requests.at(-1)?.range).toBe('bytes=1000-');
    sandbox.run();
    expect(sandbox.installedVersion()).toBe('0.2.0');
  });

  test.each([
    ['a feed of another key', { key: generateKeyPairSync('ed25519').privateKey }, 'failed', 'bad_signature'],
    ['another architecture', { arch: 'riscv64' }, 'succeeded', null],
  ] as const)('installs nothing from %s', async (_what, more, status, code) => {
    publish(sandbox.deb({ version: '0.2.0' }), '0.2.0', more);
    player?.command('cmd_1');
    await soon('the end', ended);
    expect(reportedStatuses.at(-1)).toMatchObject({ status, result: { code } });
    expect(sandbox.installedVersion()).toBe('0.1.0');
  });

  test('does not install an older version', async () => {
    publish(sandbox.deb({ version: '0.0.9' }), '0.0.9');
    player?.command('cmd_1');
    await soon('the end', ended);
    expect(reportedStatuses.at(-1)).toMatchObject({
      status: 'succeeded',
      result: { outcome: 'up_to_date', code: null },
    });
    expect(sandbox.installedVersion()).toBe('0.1.0');
  });

  test('reports why the helper refused a package', async () => {
    publish(sandbox.deb({ version: '0.1.5' }), '0.2.0');
    player?.command('cmd_1');
    await soon('it to be handed over', handedOver);
    sandbox.run();
    await soon('the end', ended);
    expect(reportedStatuses.at(-1)).toMatchObject({
      status: 'failed',
      result: { outcome: 'failed', code: 'wrong_contents' },
    });
    expect(sandbox.installedVersion()).toBe('0.1.0');
  });

  test('completes after a power cut at any step, and a player is always installed', async () => {
    let step = 1;
    for (let cut = true; cut; step += CUT_STRIDE) {
      publish(sandbox.deb({ version: '0.2.0' }), '0.2.0');
      player?.command('cmd_1');
      await soon('it to be handed over', handedOver);
      const { killed } = sandbox.run({ PLACARD_UPDATE_DIE_AT: String(step) });
      cut = killed;
      expect(['0.1.0', '0.2.0'], `after a cut at step ${step}`).toContain(sandbox.installedVersion());
      await cutPower();
      sandbox.boot();
      await startPlayer();
      await waitUntil('the helper to finish', async () => {
        await getsWell();
        sandbox.run();
        return sandbox.state()?.phase === 'idle';
      });
      await soon('the end', ended);
      expect(reportedStatuses.at(-1), `after a cut at step ${step}`).toMatchObject({
        status: 'succeeded',
        result: { outcome: 'confirmed', from: '0.1.0', to: '0.2.0' },
      });
      expect(sandbox.installedVersion()).toBe('0.2.0');
      await cutPower();
      sandbox.remove();
      await startFreshSandbox();
    }
    expect(step).toBeGreaterThan(10);
  });
});
