import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tempDir } from '../support/temp-dir.ts';
import type { TestOrder } from '../electron/electron-module.ts';
import { waitUntil } from '../support/wait-until.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const HOOK = join(ROOT, 'test/electron/electron-hook.ts');
const MAIN = join(ROOT, 'dist/shells/electron/main.js');
/** No server listens there: the pairing screen is enough. */
const NO_CLOUD = 'http://127.0.0.1:9';

/** Every call that the shell made, in all tests. */
const everCalled = new Set<string>();
let folder: string;
let player: ChildProcess | null = null;

beforeAll(async () => {
  await build({ configFile: join(ROOT, 'build/programs.config.ts'), logLevel: 'warn' });
});
beforeEach(() => {
  folder = tempDir();
});
afterEach(async () => {
  if (player && player.exitCode === null && player.signalCode === null) {
    player.kill('SIGKILL');
    await once(player, 'exit');
  }
  for (const { call } of calls()) {
    everCalled.add(call);
  }
});

const callsFile = () => join(folder, 'calls');

const notedCall = z.object({ call: z.string(), args: z.array(z.unknown()) });
const logLine = z.looseObject({ msg: z.string() });

function calls(): z.infer<typeof notedCall>[] {
  if (!existsSync(callsFile())) {
    return [];
  }
  const lines = readFileSync(callsFile(), 'utf8').trimEnd().split('\n');
  return lines.map((line) => notedCall.parse(JSON.parse(line)));
}

const called = (name: string) => calls().filter(({ call }) => call === name);

function shellLog(): string {
  const file = join(folder, 'data/logs/shell.log');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function logged(event: string): object[] {
  const lines = shellLog().split('\n').filter(Boolean);
  return lines.map((line) => logLine.parse(JSON.parse(line))).filter(({ msg }) => msg === event);
}

interface Started {
  child: ChildProcess;
  tell: (order: TestOrder) => void;
  /** Resolves to the exit code when all that was printed has been read. */
  ended: Promise<number | null>;
  printed: () => string;
}

function start(env: Record<string, string> = {}, args: readonly string[] = []): Started {
  const child = fork(MAIN, ['--server', NO_CLOUD, '--data', join(folder, 'data'), ...args], {
    execArgv: ['--import', HOOK],
    env: { ...process.env, PLACARD_TEST_CALLS: callsFile(), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  player = child;
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  return {
    child,
    tell: (order) => void child.send({ order }),
    ended: once(child, 'close').then(([code]: (number | null)[]) => code ?? null),
    printed: () => printed,
  };
}

/** Waits for this many windows; on failure, the error contains the player's log. */
async function shown(count = 1): Promise<void> {
  const isShown = () =>
    called('BrowserWindow.show').length >= count && logged('window.opened').length >= count;
  await waitUntil(`window ${count}`, isShown, 90_000).catch((error: unknown) => {
    throw new Error(shellLog(), { cause: error });
  });
}

describe("the built Electron program, on a fake of Electron's module", () => {
  test('opens one window as large as the display on its own page, and exits in order when asked to', async () => {
    const picture = join(folder, 'screen.png');
    const runtimeLog = join(folder, 'data/logs/runtime.log');
    const { tell, ended, printed } = start({ PLACARD_LOG_OUTPUT: 'none' }, [
      '--log-level=1',
      '--snapshot',
      picture,
    ]);
    await shown();
    await waitUntil('a picture', () => existsSync(picture));
    const [window] = called('new BrowserWindow');
    expect(window?.args[0]).toMatchObject({
      kiosk: true,
      frame: false,
      x: 0,
      y: 0,
      width: 1280,
      height: 720,
    });
    expect(called('BrowserWindow.setBounds').at(-1)?.args).toEqual([
      { x: 0, y: 0, width: 1280, height: 720 },
    ]);
    expect(called('BrowserWindow.loadURL')[0]?.args[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
    expect(called('app.commandLine.appendSwitch').map(({ args }) => args[0])).toContain('noerrdialogs');
    expect(logged('player.started')).toMatchObject([{ chromium_switches: ['--log-level=1'] }]);
    tell('quit');
    expect(await ended).toBe(0);
    expect(called('app.exit')).toEqual([{ call: 'app.exit', args: [0] }]);
    // The log of the runtime is in its file, and not printed where there is no output.
    expect(readFileSync(runtimeLog, 'utf8')).toContain('"msg":"runtime.started"');
    expect(printed()).not.toContain('runtime.started');
  });

  test('opens another window after its page has crashed, and restarts a killed runtime, also when its output is no longer read', async () => {
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data/starts.json'), JSON.stringify({ starts: [], safe: true }));
    const { tell, child, ended } = start({ PLACARD_TEST_PACKAGED: '1' });
    await shown();
    child.stdout?.destroy();
    child.stderr?.destroy();
    tell('print');
    tell('print');
    tell('crash_page');
    await shown(2);
    tell('kill_runtime');
    await waitUntil('another runtime', () => logged('runtime.ready').length === 2);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(called('app.disableHardwareAcceleration')).toHaveLength(1);
  });

  test.each([
    ['throw', 'an uncaught exception'],
    ['reject', 'an unhandled rejection'],
  ] as const)('logs an error that nobody caught (%s) and ends at once', async (order, text) => {
    const { tell, ended, printed } = start();
    await shown();
    tell(order);
    expect(await ended).toBe(1);
    expect(logged('player.crashed')).toMatchObject([{ error: expect.stringContaining(text) }]);
    expect(printed()).toContain('The player ends because of an error');
  });

  test('exits with the reason when a module cannot be loaded', async () => {
    const { ended, printed } = start({ PLACARD_TEST_BREAK: 'electron-player' });
    expect(await ended).toBe(1);
    expect(printed()).toContain('The player ends because of an error: Error:');
    expect(printed()).toContain('is damaged');
  });

  test('distinguishes another running player from a lock that cannot be created', async () => {
    const locked = start({ PLACARD_TEST_LOCKED: '1' });
    expect(await locked.ended).toBe(2);
    expect(locked.printed()).toContain('No other player is running');
    const profile = join(folder, 'data/browser');
    // Held by a running program: this process.
    symlinkSync(`${hostname()}-${process.pid}`, join(profile, 'SingletonLock'));
    const second = start({ PLACARD_TEST_LOCKED: '1' });
    expect(await second.ended).toBe(2);
    expect(logged('player.start_failed')).toHaveLength(2);
  });
});

describe('the documented assumptions about Electron', () => {
  const document = readFileSync(join(ROOT, 'docs/tested-on.md'), 'utf8');
  const types = readFileSync(join(ROOT, 'node_modules/electron/electron.d.ts'), 'utf8');

  test('cover every call that was made', () => {
    expect(everCalled.size).toBeGreaterThan(30);
    const missing = [...everCalled].filter((call) => !document.includes(`\`${call}\``));
    expect(missing).toEqual([]);
  });

  test('only contain calls that the installed version declares', () => {
    const names = [...everCalled].map(
      (call) => /'([a-z-]+)'/.exec(call)?.[1] ?? call.split(/[. ]/).at(-1) ?? '',
    );
    const unknown = names.filter((name) => !new RegExp(`\\b${name}\\b`).test(types));
    expect(unknown).toEqual([]);
  });

  afterAll(() => everCalled.clear());
});
