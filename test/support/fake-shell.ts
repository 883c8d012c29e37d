import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import { fromRuntimeMessage } from '../../src/runtime/shell-messages.ts';
import type { FromRuntimeMessage, ToRuntimeMessage } from '../../src/runtime/shell-messages.ts';
import { toStageMessage } from '@placard/protocol/stage';
import type { FromStageMessage, StageShowing } from '@placard/protocol/stage';
import { createFakeStage } from './fake-stage.ts';
import type { FakeStage } from './fake-stage.ts';
import { waitUntil } from './wait-until.ts';

/**
 * A shell without a window: starts the real runtime as a real process, and simulates a page without a browser, which
 * talks to it over the real loopback channel and reconnects after every loss.
 */
export interface FakeShell {
  /** Starts a runtime process; resolves when it is ready. */
  start(): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
  /** Asks the runtime to exit; resolves to the exit code. */
  stop(): Promise<number | null>;
  send(message: ToRuntimeMessage): void;
  /** Secret of this launch. */
  readonly session: string;
  readonly child: ChildProcess | null;
  readonly receivedMessages: FromRuntimeMessage[];
  /** Log lines of the runtime processes from level `warn`, as JSON. */
  readonly logLines: string[];
  readonly stage: FakeStage;
  /** Ends all processes. */
  dispose(): Promise<void>;
}

export interface FakeShellDeps {
  server: string;
  dataDir: string;
  env?: Record<string, string>;
  prepareMs?: number;
  shouldFail?: (showing: StageShowing) => boolean;
}

const ENTRY = new URL('../../src/runtime/main.ts', import.meta.url);
const RECONNECT_MS = 30;

export function createFakeShell(deps: FakeShellDeps): FakeShell {
  const session = randomBytes(24).toString('base64url');
  const receivedMessages: FromRuntimeMessage[] = [];
  const logLines: string[] = [];
  const pageLifetime = new AbortController();
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
    signal: pageLifetime.signal,
    send: (message: FromStageMessage) =>
      socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message)),
    onConnection: () => {},
    prepareMs: deps.prepareMs ?? 20,
    ...(deps.shouldFail ? { shouldFail: deps.shouldFail } : {}),
  });

  /** The page reconnects its channel for as long as it exists, whatever happens to the runtime. */
  async function keepChannelConnected(): Promise<void> {
    while (!pageLifetime.signal.aborted) {
      if (child && port !== 0) {
        await connectChannel().catch(() => undefined);
      }
      await clock.sleep(RECONNECT_MS, pageLifetime.signal);
    }
  }

  async function connectChannel(): Promise<void> {
    cookie ??= await openPageSession();
    const webSocket = new WebSocket(`ws://127.0.0.1:${port}/channel`, {
      headers: { cookie, origin: `http://127.0.0.1:${port}` },
    });
    const stop = () => webSocket.terminate();
    pageLifetime.signal.addEventListener('abort', stop, { once: true });
    await new Promise<void>((resolve) => {
      webSocket.on('open', () => {
        socket = webSocket;
        stage.connect();
      });
      webSocket.on('message', (data: Buffer) => {
        const message = toStageMessage.safeParse(JSON.parse(data.toString('utf8')));
        if (message.success) {
          stage.receive(message.data);
        }
      });
      webSocket.on('error', () => {});
      webSocket.on('close', () => {
        if (socket === webSocket) {
          stage.disconnect();
        }
        resolve();
      });
    });
    pageLifetime.signal.removeEventListener('abort', stop);
  }

  /** Opens the one-time URL, as a browser would, and keeps the cookie. */
  async function openPageSession(): Promise<string> {
    const before = receivedMessages.length;
    send({ type: 'page_wanted' });
    const { url } = await waitUntil('a page URL', () =>
      receivedMessages.slice(before).find((message) => message.type === 'page'),
    );
    const response = await fetch(url, { redirect: 'manual' });
    return (response.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  }

  function send(message: ToRuntimeMessage): void {
    if (child?.connected) {
      child.send(message, () => {});
    }
  }

  void keepChannelConnected();

  return {
    async start() {
      const before = receivedMessages.length;
      const started = fork(ENTRY, {
        execArgv: [],
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        env: { ...process.env, PLACARD_LOG_LEVEL: 'warn', PLACARD_DRY_RUN: '1', ...deps.env },
      });
      child = started;
      if (started.stdout) {
        createInterface({ input: started.stdout }).on('line', (line) => logLines.push(line));
      }
      if (started.stderr) {
        createInterface({ input: started.stderr }).on('line', (line) => logLines.push(line));
      }
      exited = new Promise((resolve) => {
        started.once('exit', (code) => {
          if (child === started) {
            child = null;
          }
          resolve(code);
        });
      });
      started.on('message', (value) => {
        const message = fromRuntimeMessage.safeParse(value);
        if (!message.success) {
          return;
        }
        if (message.data.type === 'ready') {
          port = message.data.port;
        }
        receivedMessages.push(message.data);
      });
      const { server, dataDir } = deps;
      send({ type: 'start', config: { server, dataDir, rendererDir, shell: 'headless' }, port, session });
      await waitUntil('the runtime to become ready or to exit', () =>
        receivedMessages
          .slice(before)
          .some((message) => message.type === 'ready' || message.type === 'fatal'),
      ).catch((error: unknown) => {
        throw new Error(
          `${String(error)}; it ${child ? 'runs' : 'has ended'}; its log: ${logLines.slice(-5).join('\n')}`,
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
    session,
    get child() {
      return child;
    },
    receivedMessages,
    logLines,
    stage,
    async dispose() {
      pageLifetime.abort();
      child?.kill('SIGKILL');
      await exited;
    },
  };
}
