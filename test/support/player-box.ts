import { onTestFinished } from 'vitest';
import type { CloudLink, Machine, MediaCache, Random, Store, Telemetry } from '../../src/core/ports.ts';
import { createRuntime, type Runtime } from '../../src/runtime/runtime.ts';
import type { FromRuntime } from '../../src/runtime/shell-link.ts';
import type { Showing } from '../../src/stage-link/messages.ts';
import { createFakeStage, type FakeStage } from './fake-stage.ts';
import type { ManualClock } from './manual-clock.ts';
import { createQuietLog } from './quiet-log.ts';

/** One box on a wall: a real runtime, a page without a browser, and what its maker hands in. */
export interface PlayerBox {
  /** The runtime process starts; what was on the stage stays there. */
  start(): void;
  /** Ends in order. */
  stop(): Promise<void>;
  /** As by kill -9: nothing is finished, nothing is said. */
  kill(): void;
  /** The whole box loses its power: the page is gone too. */
  powerCut(): void;
  readonly stage: FakeStage;
  /** While set, what the page says is lost on the way. */
  lossy: boolean;
  readonly runtime: Runtime;
  readonly toShell: FromRuntime[];
  /** What was written for whoever helps. */
  readonly bundles: object[];
  readonly log: ReturnType<typeof createQuietLog>;
  readonly machine: Machine & { bootId: string; reboots: number };
  status(): Record<string, unknown>;
}

export interface PlayerBoxDeps {
  clock: ManualClock;
  store: Store;
  media: MediaCache;
  cloud: CloudLink;
  telemetry?: Telemetry;
  fails?: (showing: Showing) => boolean;
  /** How many showings the page remembers. */
  remember?: number;
  /** What every throw of the dice comes to, 0 ≤ n < 1, so that jittered waits can be foretold. */
  chance?: number;
}

/** Chance without chance: every run of a test is the same. */
export function createSeededRandom(seed = 1): Random {
  let state = seed;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  return { next, bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(next() * 256)) };
}

const SENSORS: Telemetry = {
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

export function createPlayerBox(deps: PlayerBoxDeps): PlayerBox {
  const { clock } = deps;
  const log = createQuietLog();
  const toShell: FromRuntime[] = [];
  const bundles: object[] = [];
  const machine = {
    serial: 'box-1',
    bootId: 'boot-1',
    platform: 'linux',
    hostname: 'box',
    reboots: 0,
    uptimeSeconds: () => clock.mono() / 1_000,
    async reboot() {
      machine.reboots += 1;
    },
  };
  const seeded = createSeededRandom();
  const { chance } = deps;
  const random = chance === undefined ? seeded : { ...seeded, next: () => chance };
  const page = new AbortController();
  let launch = 1;
  let lossy = false;
  let alive: { runtime: Runtime; abort: AbortController; done: Promise<void> } | null = null;

  const stage = createFakeStage({
    clock,
    signal: page.signal,
    send: (message) => {
      if (!lossy) alive?.runtime.fromStage(message);
    },
    onConnection: (connected) => alive?.runtime.stageConnected(connected),
    // Fewer wake-ups in simulated days, and well within what the watchdog allows.
    beatMs: 5_000,
    ...(deps.fails ? { fails: deps.fails } : {}),
    ...(deps.remember === undefined ? {} : { remember: deps.remember }),
  });

  function start(): void {
    const abort = new AbortController();
    // A killed process says nothing more, whatever its promises still do.
    const mute =
      <T extends unknown[]>(act: (...args: T) => void) =>
      (...args: T) => {
        if (alive?.abort === abort) act(...args);
      };
    const runtime = createRuntime({
      config: {
        server: 'http://cloud.test',
        shell: 'test',
        playerVersion: '1.0.0',
        tzVersion: '2026c',
        launchId: `launch-${launch}`,
        maxCacheBytes: null,
        menuPinHash: null,
      },
      clock,
      random,
      store: deps.store,
      media: deps.media,
      cloud: deps.cloud,
      telemetry: deps.telemetry ?? SENSORS,
      machine,
      updater: {
        update: async () => ({ outcome: 'up_to_date', from: '1.0.0', to: null, code: null, detail: '' }),
      },
      pinCheck: { matches: async (pin, hash) => hash === `hash of ${pin}` },
      support: {
        async save(status) {
          bundles.push(status);
          return ['/data/support/logs'];
        },
      },
      statusFile: { write: async () => {} },
      stage: { send: mute(stage.receive) },
      shell: { send: mute((message: FromRuntime) => void toShell.push(message)) },
      services: [],
      storeSetAside: null,
      substitute: null,
      log,
    });
    alive = { runtime, abort, done: Promise.resolve() };
    alive.done = runtime.run(abort.signal);
    stage.connect();
  }

  function kill(): void {
    const dead = alive;
    alive = null;
    stage.disconnect();
    dead?.abort.abort();
  }

  onTestFinished(() => {
    page.abort();
    alive?.abort.abort();
  });

  return {
    start,
    kill,
    async stop() {
      const ending = alive;
      ending?.abort.abort();
      await ending?.done;
      alive = null;
    },
    powerCut() {
      kill();
      stage.reload();
      launch += 1;
      machine.bootId = `boot-${launch}`;
    },
    stage,
    get lossy() {
      return lossy;
    },
    set lossy(value) {
      lossy = value;
    },
    get runtime() {
      if (!alive) throw new Error('the runtime is not running');
      return alive.runtime;
    },
    toShell,
    bundles,
    log,
    machine,
    status: () => ({ ...alive?.runtime.status() }),
  };
}
