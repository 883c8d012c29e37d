import { onTestFinished } from 'vitest';
import type { CloudLink, Machine, MediaCache, PlayerDatabase, Telemetry } from '../../src/core/ports.ts';
import { NEVER_UPDATED } from '../../src/core/update/helper-state.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import type { MaintenanceWindow } from '../../src/core/update/maintenance-window.ts';
import type { Runtime } from '../../src/runtime/runtime.ts';
import type { FromRuntimeMessage } from '../../src/runtime/shell-messages.ts';
import type { StageShowing } from '@placard/protocol/stage';
import { createFakeStage } from './fake-stage.ts';
import type { FakeStage } from './fake-stage.ts';
import type { ManualClock } from './manual-clock.ts';
import { createRecordingLog } from './recording-log.ts';
import { createSeededRandom } from './seeded-random.ts';

/** One simulated device: a real runtime, a page without a browser, and the fakes that the test passes in. */
export interface PlayerHarness {
  /** Starts the runtime process; what is on the stage stays there. */
  start(): void;
  /** Stops the runtime in order. */
  stop(): Promise<void>;
  /** Like kill -9: nothing is completed or reported. */
  kill(): void;
  /** The device loses its power: the page ends too. */
  powerCut(): void;
  readonly stage: FakeStage;
  /** While set, messages of the page are lost. */
  dropsStageMessages: boolean;
  readonly runtime: Runtime;
  readonly shellMessages: FromRuntimeMessage[];
  /** The support bundles that were written. */
  readonly supportBundles: object[];
  /** How often it looked for a newer version. */
  readonly updateChecks: number;
  readonly log: ReturnType<typeof createRecordingLog>;
  readonly machine: Machine & { bootId: string; reboots: number };
  status(): Record<string, unknown>;
}

export interface PlayerHarnessDeps {
  clock: ManualClock;
  database: PlayerDatabase;
  media: MediaCache;
  cloud: CloudLink;
  telemetry?: Telemetry;
  shouldFail?: (showing: StageShowing) => boolean;
  /** How many shown items the page keeps. */
  maxShownItems?: number;
  /** The value of every random number, 0 ≤ n < 1, so that jittered waits are predictable. */
  fixedRandom?: number;
  /** The JPEG image in Base64 with which the shell answers when it is asked for a picture; absent: it does not answer. */
  picture?: string;
  /** When it updates of its own accord; absent: never. */
  updateWindow?: MaintenanceWindow;
}

const TELEMETRY: Telemetry = {
  sample: async () => ({
    cpu_percent: 12.5,
    memory_percent: 40,
    disk_percent: 50,
    temperature_celsius: null,
    wifi_signal_dbm: null,
  }),
  hardware: async () => ({ model: 'Test box' }),
  interfaces: async () => [{ name: 'eth0', kind: 'wired', mac: null, addresses: ['192.0.2.7'], ssid: null }],
};

export function createPlayerHarness(deps: PlayerHarnessDeps): PlayerHarness {
  const { clock } = deps;
  const log = createRecordingLog();
  const shellMessages: FromRuntimeMessage[] = [];
  const supportBundles: object[] = [];
  const machine = {
    serial: 'box-1',
    bootId: 'boot-1',
    platform: 'linux',
    hostname: 'box',
    reboots: 0,
    uptimeSeconds: () => clock.monoMs() / 1_000,
    async reboot() {
      machine.reboots += 1;
    },
  };
  const seeded = createSeededRandom();
  const { fixedRandom } = deps;
  const random = fixedRandom === undefined ? seeded : { ...seeded, next: () => fixedRandom };
  const stageLifetime = new AbortController();
  let launchCount = 1;
  let updateChecks = 0;
  let dropsStageMessages = false;
  let running: { runtime: Runtime; abort: AbortController; done: Promise<void> } | null = null;

  const stage = createFakeStage({
    clock,
    signal: stageLifetime.signal,
    send: (message) => {
      if (!dropsStageMessages) {
        running?.runtime.onStageMessage(message);
      }
    },
    onConnection: (connected) => running?.runtime.onStageConnection(connected),
    // Fewer wake-ups in simulated days, and well below the watchdog's timeout.
    beatIntervalMs: 5_000,
    ...(deps.shouldFail ? { shouldFail: deps.shouldFail } : {}),
    ...(deps.maxShownItems === undefined ? {} : { maxShownItems: deps.maxShownItems }),
  });

  function start(): void {
    const abort = new AbortController();
    // A killed process has no further effects, even if its promises still resolve.
    const whileRunning =
      <T extends unknown[]>(act: (...args: T) => void) =>
      (...args: T) => {
        if (running?.abort === abort) {
          act(...args);
        }
      };
    const runtime = createRuntime({
      config: {
        server: 'http://cloud.test',
        shell: 'test',
        playerVersion: '1.0.0',
        tzVersion: '2026c',
        launchId: `launch-${launchCount}`,
        updateWindow: deps.updateWindow ?? null,
      },
      clock,
      random,
      database: deps.database,
      media: deps.media,
      cloud: deps.cloud,
      telemetry: deps.telemetry ?? TELEMETRY,
      machine,
      updater: {
        async check() {
          updateChecks += 1;
          return { outcome: 'up_to_date', from: '1.0.0', to: null, code: null, detail: '' };
        },
        follow: () => Promise.reject(new Error('not in these tests')),
        isBusy: async () => false,
        readHelperState: async () => NEVER_UPDATED,
        reportHealthy: async () => {},
      },
      pinVerifier: { verify: async (pin, hash) => hash === `hash of ${pin}` },
      supportBundle: {
        newestLines: () => ({ run: '1', first: 7, lines: ['the newest line'] }),
        async save(status) {
          supportBundles.push(status);
          return ['/data/support/logs'];
        },
        async pack(status) {
          supportBundles.push(status);
          return Buffer.from('bundle');
        },
      },
      statusFile: { write: async () => {} },
      stage: { send: whileRunning(stage.receive) },
      shell: {
        send: whileRunning((message: FromRuntimeMessage) => {
          shellMessages.push(message);
          if (message.type === 'screenshot_wanted' && deps.picture !== undefined) {
            runtime.onScreenshot({ type: 'screenshot', id: message.id, image: deps.picture });
          }
        }),
      },
      damagedDatabasePath: null,
      substituteDir: null,
      log,
    });
    running = { runtime, abort, done: Promise.resolve() };
    running.done = runtime.run(abort.signal);
    stage.connect();
  }

  function kill(): void {
    const killed = running;
    running = null;
    stage.disconnect();
    killed?.abort.abort();
  }

  onTestFinished(() => {
    stageLifetime.abort();
    running?.abort.abort();
  });

  return {
    start,
    kill,
    async stop() {
      const stopping = running;
      stopping?.abort.abort();
      await stopping?.done;
      running = null;
    },
    powerCut() {
      kill();
      stage.reload();
      launchCount += 1;
      machine.bootId = `boot-${launchCount}`;
    },
    stage,
    get dropsStageMessages() {
      return dropsStageMessages;
    },
    set dropsStageMessages(value) {
      dropsStageMessages = value;
    },
    get runtime() {
      if (!running) {
        throw new Error('the runtime is not running');
      }
      return running.runtime;
    },
    shellMessages,
    supportBundles,
    get updateChecks() {
      return updateChecks;
    },
    log,
    machine,
    status: () => ({ ...running?.runtime.status() }),
  };
}
