import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { startNodeRuntime } from './runtime-process.ts';
import type { RuntimeProcess } from './runtime-process.ts';
import type { Shell } from './shell.ts';
import { recordStart } from './start-record.ts';
import { EXIT_RESTART } from './exit-codes.ts';
import { supervise } from './supervise.ts';
import type { SuperviseDeps } from './supervise.ts';

/** A real child process that uses the shell messages and records those that it receives. */
const RUNTIME = `
import { appendFileSync } from 'node:fs';
let note = () => {};
process.on('message', (message) => {
  if (message.type === 'start') {
    note = (fact) => appendFileSync(message.config.dataDir + '/notes.jsonl', JSON.stringify(fact) + '\\n');
    note({ pid: process.pid, port: message.port, session: message.session, safe: message.safeMode });
    if (message.config.server.includes('refuses-port') && message.port !== 0) process.exit(9);
    if (message.config.server.includes('no-way-back') && message.port !== 0) {
      process.send({ type: 'fatal', message: 'The disk is full.', exitCode: 1 });
      setTimeout(() => process.exit(1), 50);
      return;
    }
    if (message.config.server.includes('mute')) return;
    process.send({ type: 'ready', port: message.port || 4100 + Math.floor(Math.random() * 900) });
    if (message.config.server.includes('fatal')) {
      process.send({ type: 'fatal', message: 'The data folder is in use.', exitCode: 3 });
    }
    if (message.config.server.includes('hangs')) setTimeout(() => { for (;;); }, 50);
    if (message.config.server.includes('restart')) process.send({ type: 'restart_wanted' });
    // Repeatedly, because the message is ignored before the window is open.
    if (message.config.server.includes('lost')) setInterval(() => process.send({ type: 'stage_lost' }), 50);
  }
  if (message.type === 'page_wanted') {
    process.send({ type: 'from_the_future' });
    process.send({ type: 'page', url: 'http://127.0.0.1:1/enter/' + Math.random() });
  }
  if (message.type === 'safe_mode') note({ pid: process.pid, port: 0, session: '', safe: message.on });
  if (message.type === 'stop' && !process.env.DEAF) process.exit(0);
});
process.on('disconnect', () => process.exit(0));
`;

const runtimeNote = z.object({ pid: z.number(), port: z.number(), session: z.string(), safe: z.boolean() });

let folder: string;
let opened: string[];
let closes: number;
/** Number of opened windows when the shell was asked to warm up; null: it was not. */
let windowsOpenedBeforeWarmUp: number | null;
let softwareRenderingCalls: boolean[];
let softwareRenderingEffect: ReturnType<Shell['setSoftwareRendering']>;
let loseWindow: (reason: string) => void;
let openFailures: number;
let runtimes: RuntimeProcess[];
let printedMessages: string[];
let stop: AbortController;

beforeEach(async () => {
  folder = tempDir();
  await writeFile(join(folder, 'runtime.mjs'), RUNTIME);
  opened = [];
  closes = 0;
  windowsOpenedBeforeWarmUp = null;
  softwareRenderingCalls = [];
  softwareRenderingEffect = 'next_window';
  openFailures = 0;
  runtimes = [];
  printedMessages = [];
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  for (const runtime of runtimes) {
    runtime.kill();
  }
});

const shell: Shell = {
  name: 'headless',
  warmUp() {
    windowsOpenedBeforeWarmUp = opened.length;
  },
  async open(url) {
    if (openFailures > 0) {
      openFailures -= 1;
      throw new Error('no display');
    }
    opened.push(url);
  },
  capture: async () => Buffer.from(`picture ${opened.length}`),
  async captureJpeg(maxPixels) {
    if (openFailures > 0) {
      throw new Error('there is no window');
    }
    return Buffer.from(`picture of ${maxPixels} pixels`);
  },
  async close() {
    closes += 1;
  },
  setSoftwareRendering(on) {
    softwareRenderingCalls.push(on);
    return softwareRenderingEffect;
  },
  onLost(listener) {
    loseWindow = listener;
  },
};

function start({
  server = 'http://cloud.example',
  snapshot = null,
  overrides = {},
}: { server?: string; snapshot?: string | null; overrides?: Partial<SuperviseDeps> } = {}): Promise<number> {
  return supervise({
    shell,
    startRuntime: (listeners) => {
      const runtime = startNodeRuntime(join(folder, 'runtime.mjs'), listeners);
      runtimes.push(runtime);
      return runtime;
    },
    config: { server, dataDir: folder, rendererDir: folder, shell: 'headless' },
    session: 'a'.repeat(43),
    snapshot,
    startRecord: recordStart(folder, Date.now()),
    log: { info: () => {}, warn: () => {}, error: () => {} },
    printMessage: (message) => printedMessages.push(message),
    signal: stop.signal,
    ...overrides,
  });
}

async function readRuntimeNotes() {
  const text = await readFile(join(folder, 'notes.jsonl'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => runtimeNote.parse(JSON.parse(line)));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Crashes the window repeatedly; it comes back each time but the last. */
async function crashWindow(times: number): Promise<void> {
  for (let crash = 0; crash < times; crash++) {
    const before = opened.length;
    loseWindow('the page crashed');
    if (crash < times - 1) {
      await waitUntil('the next window', () => opened.length > before);
    }
  }
}

describe('supervise', () => {
  test('opens the window with an address from the runtime, and ends both when asked to', async () => {
    const ended = start();
    await waitUntil('a window', () => opened.length === 1);
    expect(opened[0]).toContain('/enter/');
    stop.abort();
    expect(await ended).toBe(0);
    expect(closes).toBe(1);
    const [first] = await readRuntimeNotes();
    expect(isAlive(first!.pid)).toBe(false);
  });

  test('warms the shell up before the address of the page is known', async () => {
    const ended = start();
    await waitUntil('the window', () => opened.length > 0);
    expect(windowsOpenedBeforeWarmUp).toBe(0);
    stop.abort();
    await ended;
  });

  test('restarts a killed runtime with the same port and session, and keeps the window', async () => {
    const ended = start();
    await waitUntil('a window', () => opened.length === 1);
    const [first] = await readRuntimeNotes();
    process.kill(first!.pid, 'SIGKILL');
    await waitUntil('a second runtime', async () => (await readRuntimeNotes()).length === 2);
    const [, second] = await readRuntimeNotes();
    expect(first!.port).toBe(0);
    expect(second!.port).toBeGreaterThanOrEqual(4100);
    expect(second!.session).toBe(first!.session);
    stop.abort();
    await ended;
    expect(opened).toHaveLength(1);
  });

  test.each(['mute', 'hangs'])('replaces a runtime that runs and says nothing (%s)', async (how) => {
    const ended = start({ server: `http://${how}.example`, overrides: { runtimeSilenceTimeoutMs: 5_000 } });
    await waitUntil('another runtime', async () => (await readRuntimeNotes()).length >= 2);
    const [first] = await readRuntimeNotes();
    await waitUntil('the end of the first', () => !isAlive(first!.pid));
    stop.abort();
    expect(await ended).toBe(0);
  });

  test.each([
    ['that is just starting', false, 90_000],
    ['that listens, before the watchdog of systemd ends the player', true, 45_000],
  ])('ends a runtime %s when it has sent no message for too long', async (_, listens, silenceMs) => {
    vi.useFakeTimers();
    try {
      let kills = 0;
      const ended = start({
        overrides: {
          startRuntime(listeners) {
            if (listens) {
              setTimeout(() => listeners.onMessage({ type: 'ready', port: 4100 }), 0);
            }
            return {
              pid: 42,
              send: ({ type }) => type === 'stop' && listeners.onExit('code 0'),
              kill: () => void (kills += 1),
            };
          },
        },
      });
      await vi.advanceTimersByTimeAsync(0);
      await vi.advanceTimersByTimeAsync(silenceMs - 1);
      expect(kills).toBe(0);
      await vi.advanceTimersByTimeAsync(1);
      expect(kills).toBe(1);
      stop.abort();
      expect(await ended).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('gives up a lost port after some attempts and opens the page on another', async () => {
    const ended = start({ server: 'http://refuses-port.example' });
    await waitUntil('a window', () => opened.length === 1);
    process.kill((await readRuntimeNotes())[0]!.pid, 'SIGKILL');
    await waitUntil('a second window', () => opened.length === 2);
    expect((await readRuntimeNotes()).at(-1)!.port).toBe(0);
    stop.abort();
    await ended;
  });

  test('reopens a lost window with a fresh address', async () => {
    const ended = start();
    await waitUntil('a window', () => opened.length === 1);
    loseWindow('the browser ended');
    await waitUntil('a second window', () => opened.length === 2);
    expect(opened[1]).not.toBe(opened[0]);
    stop.abort();
    await ended;
  });

  test('reopens the window when the runtime has lost the page', async () => {
    const ended = start({ server: 'http://lost.example' });
    await waitUntil('a second window', () => opened.length >= 2);
    stop.abort();
    expect(await ended).toBe(0);
  });

  test('tries again when a window cannot be opened', async () => {
    openFailures = 2;
    const ended = start();
    await waitUntil('a window', () => opened.length === 1);
    stop.abort();
    expect(await ended).toBe(0);
  });

  test('prints a fatal error and exits with the code from the runtime', async () => {
    expect(await start({ server: 'http://fatal.example' })).toBe(3);
    expect(printedMessages).toEqual(['The data folder is in use.']);
    expect(isAlive((await readRuntimeNotes())[0]!.pid)).toBe(false);
  });

  test('keeps the picture and keeps trying when a later runtime fails', async () => {
    const ended = start({ server: 'http://no-way-back.example' });
    await waitUntil('a window', () => opened.length === 1);
    process.kill((await readRuntimeNotes())[0]!.pid, 'SIGKILL');
    await waitUntil('more tries', async () => (await readRuntimeNotes()).length >= 3);
    expect(closes).toBe(0);
    expect(printedMessages).toEqual(['The disk is full.']);
    stop.abort();
    expect(await ended).toBe(0);
  });

  test('exits with the restart code when the runtime requests a restart', async () => {
    expect(await start({ server: 'http://restart.example' })).toBe(EXIT_RESTART);
  });

  test('exits with the restart code on new settings, and waits for none when it ends', async () => {
    const found = Promise.withResolvers<string | null>();
    let waited: AbortSignal | null = null;
    const waitForNewSettings = (signal: AbortSignal) => {
      waited = signal;
      return found.promise;
    };
    const ended = start({ overrides: { waitForNewSettings } });
    await waitUntil('a window', () => opened.length === 1);
    found.resolve('/media/STICK/placard.json');
    expect(await ended).toBe(EXIT_RESTART);
    expect(waited!.aborted).toBe(true);
  });

  test('kills a runtime that does not react to the request to end', async () => {
    vi.stubEnv('DEAF', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const ended = start();
    await waitUntil('a window', () => opened.length === 1);
    stop.abort();
    await ended;
    expect(isAlive((await readRuntimeNotes())[0]!.pid)).toBe(false);
  });

  test('ends at once when the request came before its start', async () => {
    stop.abort();
    expect(await start()).toBe(0);
  });

  test('keeps a complete screenshot in the snapshot file', async () => {
    const snapshot = join(folder, 'deep', 'screen.png');
    const ended = start({ snapshot });
    await waitUntil('a picture', () => existsSync(snapshot));
    expect(await readFile(snapshot, 'utf8')).toMatch(/^picture \d$/);
    stop.abort();
    await ended;
  });

  test('uses software rendering after the fifth crash in a short time, and passes it to this runtime and the next', async () => {
    const ended = start();
    await waitUntil('a window', () => opened.length === 1);
    await crashWindow(4);
    expect(softwareRenderingCalls).toEqual([]);
    await waitUntil('a window', () => opened.length === 5);
    await crashWindow(1);
    expect(softwareRenderingCalls).toEqual([true]);
    await waitUntil('a message to the runtime', async () => (await readRuntimeNotes()).at(-1)?.safe);
    process.kill((await readRuntimeNotes())[0]!.pid, 'SIGKILL');
    await waitUntil(
      'a runtime that starts safely',
      async () => (await readRuntimeNotes()).at(-1)?.port && (await readRuntimeNotes()).at(-1)?.safe,
    );
    stop.abort();
    expect(await ended).toBe(0);
    expect(recordStart(folder, Date.now()).safeMode).toBe(false);
  });

  test('restarts the player where only that enables software rendering', async () => {
    softwareRenderingEffect = 'restart';
    const ended = start();
    await waitUntil('a window', () => opened.length === 1);
    await crashWindow(5);
    expect(await ended).toBe(EXIT_RESTART);
    const next = start();
    await waitUntil('a window', () => opened.length > 5);
    expect(softwareRenderingCalls).toEqual([true, true]);
    expect((await readRuntimeNotes()).at(-1)?.safe).toBe(true);
    stop.abort();
    expect(await next).toBe(0);
  });

  test('leaves safe mode at a requested restart', async () => {
    recordStart(folder, Date.now()).finish('safe');
    expect(await start({ server: 'http://restart.example' })).toBe(EXIT_RESTART);
    expect(recordStart(folder, Date.now()).safeMode).toBe(false);
  });
});
