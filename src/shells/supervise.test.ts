import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { until } from '../../test/support/until.ts';
import { startNodeRuntime, type RuntimeProcess } from './runtime-process.ts';
import type { Shell } from './shell.ts';
import { recordStart } from './start-record.ts';
import { EXIT_RESTART, supervise, type SuperviseDeps } from './supervise.ts';

/** A real child process that speaks the shell link and notes down what it was told. */
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
    // Again and again: what is said before the window is there counts for nothing.
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

const noted = z.object({ pid: z.number(), port: z.number(), session: z.string(), safe: z.boolean() });

let folder: string;
let opened: string[];
let closes: number;
/** How many windows had been opened when the shell was told to warm up; null: it was not. */
let warmedBefore: number | null;
let drawnInSoftware: boolean[];
let softwareNeeds: ReturnType<Shell['drawInSoftware']>;
let windowGone: (reason: string) => void;
let openFailures: number;
let runtimes: RuntimeProcess[];
let said: string[];
let stop: AbortController;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'placard-supervise-'));
  await writeFile(join(folder, 'runtime.mjs'), RUNTIME);
  opened = [];
  closes = 0;
  warmedBefore = null;
  drawnInSoftware = [];
  softwareNeeds = 'next_window';
  openFailures = 0;
  runtimes = [];
  said = [];
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  for (const runtime of runtimes) runtime.kill();
  await rm(folder, { recursive: true, force: true });
});

const shell: Shell = {
  name: 'headless',
  warm() {
    warmedBefore = opened.length;
  },
  async open(url) {
    if (openFailures > 0) {
      openFailures -= 1;
      throw new Error('no display');
    }
    opened.push(url);
  },
  capture: async () => Buffer.from(`picture ${opened.length}`),
  async close() {
    closes += 1;
  },
  drawInSoftware(on) {
    drawnInSoftware.push(on);
    return softwareNeeds;
  },
  onGone(listener) {
    windowGone = listener;
  },
};

function start({
  server = 'http://cloud.example',
  snapshot = null,
  more = {},
}: { server?: string; snapshot?: string | null; more?: Partial<SuperviseDeps> } = {}): Promise<number> {
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
    starts: recordStart(folder, Date.now()),
    log: { info: () => {}, warn: () => {}, error: () => {} },
    say: (sentence) => said.push(sentence),
    signal: stop.signal,
    ...more,
  });
}

async function notes() {
  const text = await readFile(join(folder, 'notes.jsonl'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => noted.parse(JSON.parse(line)));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Lets the window die again and again, and come back each time but the last. */
async function windowDies(times: number): Promise<void> {
  for (let death = 0; death < times; death++) {
    const before = opened.length;
    windowGone('the page crashed');
    if (death < times - 1) await until('the next window', () => opened.length > before);
  }
}

describe('supervise', () => {
  it('opens the window with an address from the runtime, and ends both when asked to', async () => {
    const ended = start();
    await until('a window', () => opened.length === 1);
    expect(opened[0]).toContain('/enter/');
    stop.abort();
    expect(await ended).toBe(0);
    expect(closes).toBe(1);
    const [first] = await notes();
    expect(isAlive(first!.pid)).toBe(false);
  });

  it('has the shell begin before anybody knows the address of the page', async () => {
    const ended = start();
    await until('the window', () => opened.length > 0);
    expect(warmedBefore).toBe(0);
    stop.abort();
    await ended;
  });

  it('starts a killed runtime again with the same port and session, and leaves the window alone', async () => {
    const ended = start();
    await until('a window', () => opened.length === 1);
    const [first] = await notes();
    process.kill(first!.pid, 'SIGKILL');
    await until('a second runtime', async () => (await notes()).length === 2);
    const [, second] = await notes();
    expect(first!.port).toBe(0);
    expect(second!.port).toBeGreaterThanOrEqual(4100);
    expect(second!.session).toBe(first!.session);
    stop.abort();
    await ended;
    expect(opened).toHaveLength(1);
  });

  it.each(['mute', 'hangs'])('replaces a runtime that runs and says nothing (%s)', async (how) => {
    const ended = start({ server: `http://${how}.example`, more: { runtimeSilenceMs: 5_000 } });
    await until('another runtime', async () => (await notes()).length >= 2);
    const [first] = await notes();
    await until('the end of the first', () => !isAlive(first!.pid));
    stop.abort();
    expect(await ended).toBe(0);
  });

  it.each([
    ['that is just starting', false, 90_000],
    ['that listens, before systemd misses it and ends all', true, 45_000],
  ])('ends a runtime %s when it has said nothing for long', async (_, listens, silenceMs) => {
    vi.useFakeTimers();
    try {
      let kills = 0;
      const ended = start({
        more: {
          startRuntime(listeners) {
            if (listens) setTimeout(() => listeners.onMessage({ type: 'ready', port: 4100 }), 0);
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

  it('gives a lost port up after some tries and opens the page on another', async () => {
    const ended = start({ server: 'http://refuses-port.example' });
    await until('a window', () => opened.length === 1);
    process.kill((await notes())[0]!.pid, 'SIGKILL');
    await until('a second window', () => opened.length === 2);
    expect((await notes()).at(-1)!.port).toBe(0);
    stop.abort();
    await ended;
  });

  it('opens a window anew, with a fresh address, when it goes away', async () => {
    const ended = start();
    await until('a window', () => opened.length === 1);
    windowGone('the browser ended');
    await until('a second window', () => opened.length === 2);
    expect(opened[1]).not.toBe(opened[0]);
    stop.abort();
    await ended;
  });

  it('opens the window anew when the runtime no longer hears the page', async () => {
    const ended = start({ server: 'http://lost.example' });
    await until('a second window', () => opened.length >= 2);
    stop.abort();
    expect(await ended).toBe(0);
  });

  it('tries again when a window cannot be opened', async () => {
    openFailures = 2;
    const ended = start();
    await until('a window', () => opened.length === 1);
    stop.abort();
    expect(await ended).toBe(0);
  });

  it('says what is fatal and leaves with the code that the runtime named', async () => {
    expect(await start({ server: 'http://fatal.example' })).toBe(3);
    expect(said).toEqual(['The data folder is in use.']);
    expect(isAlive((await notes())[0]!.pid)).toBe(false);
  });

  it('keeps the picture and goes on trying when only a later runtime finds no way to work', async () => {
    const ended = start({ server: 'http://no-way-back.example' });
    await until('a window', () => opened.length === 1);
    process.kill((await notes())[0]!.pid, 'SIGKILL');
    await until('more tries', async () => (await notes()).length >= 3);
    expect(closes).toBe(0);
    expect(said).toEqual(['The disk is full.']);
    stop.abort();
    expect(await ended).toBe(0);
  });

  it('leaves with the restart code when the runtime wants a restart', async () => {
    expect(await start({ server: 'http://restart.example' })).toBe(EXIT_RESTART);
  });

  it('leaves with the restart code when new settings have come, and waits for none at its end', async () => {
    const found = Promise.withResolvers<string | null>();
    let waited: AbortSignal | null = null;
    const newSettings = (signal: AbortSignal) => {
      waited = signal;
      return found.promise;
    };
    const ended = start({ more: { newSettings } });
    await until('a window', () => opened.length === 1);
    found.resolve('/media/STICK/placard.json');
    expect(await ended).toBe(EXIT_RESTART);
    expect(waited!.aborted).toBe(true);
  });

  it('ends a runtime that does not listen to being asked', async () => {
    vi.stubEnv('DEAF', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const ended = start();
    await until('a window', () => opened.length === 1);
    stop.abort();
    await ended;
    expect(isAlive((await notes())[0]!.pid)).toBe(false);
  });

  it('ends at once when it was asked to before it began', async () => {
    stop.abort();
    expect(await start()).toBe(0);
  });

  it('keeps a whole picture of the screen in the snapshot file', async () => {
    const snapshot = join(folder, 'deep', 'screen.png');
    const ended = start({ snapshot });
    await until('a picture', () => existsSync(snapshot));
    expect(await readFile(snapshot, 'utf8')).toMatch(/^picture \d$/);
    stop.abort();
    await ended;
  });

  it('draws in software after the fifth death in a short time, and tells the runtime and the one after it', async () => {
    const ended = start();
    await until('a window', () => opened.length === 1);
    await windowDies(4);
    expect(drawnInSoftware).toEqual([]);
    await until('a window', () => opened.length === 5);
    await windowDies(1);
    expect(drawnInSoftware).toEqual([true]);
    await until('word to the runtime', async () => (await notes()).at(-1)?.safe);
    process.kill((await notes())[0]!.pid, 'SIGKILL');
    await until(
      'a runtime that starts safely',
      async () => (await notes()).at(-1)?.port && (await notes()).at(-1)?.safe,
    );
    stop.abort();
    expect(await ended).toBe(0);
    expect(recordStart(folder, Date.now()).safeMode).toBe(false);
  });

  it('starts the player anew where only that makes it draw in software', async () => {
    softwareNeeds = 'restart';
    const ended = start();
    await until('a window', () => opened.length === 1);
    await windowDies(5);
    expect(await ended).toBe(EXIT_RESTART);
    const next = start();
    await until('a window', () => opened.length > 5);
    expect(drawnInSoftware).toEqual([true, true]);
    expect((await notes()).at(-1)?.safe).toBe(true);
    stop.abort();
    expect(await next).toBe(0);
  });

  it('forgets safe mode with a restart that was asked for', async () => {
    recordStart(folder, Date.now()).end('safe');
    expect(await start({ server: 'http://restart.example' })).toBe(EXIT_RESTART);
    expect(recordStart(folder, Date.now()).safeMode).toBe(false);
  });
});
