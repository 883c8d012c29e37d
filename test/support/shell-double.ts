import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import { fromRuntime, type FromRuntime, type ToRuntime } from '../../src/runtime/shell-link.ts';
import { toStage, type FromStage, type Showing } from '../../src/stage-link/messages.ts';
import { createFakeStage, type FakeStage } from './fake-stage.ts';
import { until } from './until.ts';

/**
 * A shell without a window: starts the real runtime as a real process, and opens a page without a browser that
 * talks to it over the real loopback channel and comes back after every loss.
 */
export interface ShellDouble {
  /** Starts a runtime process; resolves when it listens. */
  start(): Promise<void>;
  /** kill -9, at once. */
  kill(): Promise<void>;
  /** Asks for the end; tells the exit code. */
  stop(): Promise<number | null>;
  send(message: ToRuntime): void;
  readonly child: ChildProcess | null;
  readonly heard: FromRuntime[];
  /** What the runtime processes have logged from `warn` on, as JSON lines. */
  readonly logged: string[];
  readonly stage: FakeStage;
  /** Ends everything that is left. */
  end(): Promise<void>;
}

export interface ShellDoubleDeps {
  server: string;
  dataDir: string;
  env?: Record<string, string>;
  prepareMs?: number;
  fails?: (showing: Showing) => boolean;
}

const ENTRY = new URL('../../src/runtime/main.ts', import.meta.url);
const RECONNECT_MS = 30;

export function createShellDouble(deps: ShellDoubleDeps): ShellDouble {
  const session = randomBytes(24).toString('base64url');
  const heard: FromRuntime[] = [];
  const logged: string[] = [];
  const page = new AbortController();
  const clock = createSystemClock({ lastGoodMs: null });
  const rendererDir = join(deps.dataDir, '..', 'page');
  mkdirSync(rendererDir, { recursive: true });
  writeFileSync(join(rendererDir, 'index.html'), '<!doctype html>');
  let child: ChildProcess | null = null;
  let exited: Promise<number | null> = Promise.resolve(null);
  let port = 0;
  let cookie: string | null = null;
  let socket: WebSocket | null = null;

  const stage = createFakeStage({
    clock,
    signal: page.signal,
    send: (message: FromStage) =>
      socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message)),
    onConnection: () => {},
    prepareMs: deps.prepareMs ?? 20,
    ...(deps.fails ? { fails: deps.fails } : {}),
  });

  /** The page keeps its channel for as long as it lives, whatever becomes of the runtime. */
  async function keepChannel(): Promise<void> {
    while (!page.signal.aborted) {
      if (child && port !== 0) await channel().catch(() => undefined);
      await clock.sleep(RECONNECT_MS, page.signal);
    }
  }

  async function channel(): Promise<void> {
    cookie ??= await enter();
    const line = new WebSocket(`ws://127.0.0.1:${port}/channel`, {
      headers: { cookie, origin: `http://127.0.0.1:${port}` },
    });
    const stop = () => line.terminate();
    page.signal.addEventListener('abort', stop, { once: true });
    await new Promise<void>((resolve) => {
      line.on('open', () => {
        socket = line;
        stage.connect();
      });
      line.on('message', (data: Buffer) => {
        const message = toStage.safeParse(JSON.parse(data.toString('utf8')));
        if (message.success) stage.receive(message.data);
      });
      line.on('error', () => {});
      line.on('close', () => {
        if (socket === line) stage.disconnect();
        resolve();
      });
    });
    page.signal.removeEventListener('abort', stop);
  }

  /** Opens the one-time address, as a browser would, and keeps the cookie. */
  async function enter(): Promise<string> {
    const before = heard.length;
    send({ type: 'page_wanted' });
    const { url } = await until('a page address', () =>
      heard.slice(before).find((message) => message.type === 'page'),
    );
    const response = await fetch(url, { redirect: 'manual' });
    return (response.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  }

  function send(message: ToRuntime): void {
    if (child?.connected) child.send(message, () => {});
  }

  void keepChannel();

  return {
    async start() {
      const before = heard.length;
      const started = fork(ENTRY, {
        execArgv: [],
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        env: { ...process.env, PLACARD_LOG_LEVEL: 'warn', PLACARD_DRY_RUN: '1', ...deps.env },
      });
      child = started;
      if (started.stdout) createInterface({ input: started.stdout }).on('line', (line) => logged.push(line));
      if (started.stderr) createInterface({ input: started.stderr }).on('line', (line) => logged.push(line));
      exited = new Promise((resolve) => {
        started.once('exit', (code) => {
          if (child === started) child = null;
          resolve(code);
        });
      });
      started.on('message', (value) => {
        const message = fromRuntime.safeParse(value);
        if (!message.success) return;
        if (message.data.type === 'ready') port = message.data.port;
        heard.push(message.data);
      });
      const { server, dataDir } = deps;
      send({ type: 'start', config: { server, dataDir, rendererDir, shell: 'headless' }, port, session });
      await until('the runtime to listen or to give up', () =>
        heard.slice(before).some((message) => message.type === 'ready' || message.type === 'fatal'),
      ).catch((error: unknown) => {
        throw new Error(
          `${String(error)}; it ${child ? 'runs' : 'has ended'}; its log: ${logged.slice(-5).join('\n')}`,
        );
      });
    },
    async kill() {
      child?.kill('SIGKILL');
      await exited;
    },
    async stop() {
      send({ type: 'stop' });
      return exited;
    },
    send,
    get child() {
      return child;
    },
    heard,
    logged,
    stage,
    async end() {
      page.abort();
      child?.kill('SIGKILL');
      await exited;
    },
  };
}
