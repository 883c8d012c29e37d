import { fork } from 'node:child_process';
import { fromRuntimeMessage } from '../../runtime/shell-messages.ts';
import type { FromRuntimeMessage, ToRuntimeMessage } from '../../runtime/shell-messages.ts';

/** The runtime as a shell sees it, however it was started. */
export interface RuntimeProcess {
  readonly pid: number | undefined;
  send(message: ToRuntimeMessage): void;
  /** Kills it at once. */
  kill(): void;
}

export interface RuntimeListeners {
  onMessage(message: FromRuntimeMessage): void;
  /** Called once, with the reason. */
  onExit(reason: string): void;
}

/** How long the last messages of an ended runtime are waited for. */
const LAST_MESSAGES_MS = 1_000;

export type StartRuntime = (listeners: RuntimeListeners) => RuntimeProcess;

const reasonOf = (code: number | null, signal: string | null): string => signal ?? `code ${code}`;

/** Starts the runtime under plain Node. It shares the player's output, and its IPC channel keeps it alive. */
export function startNodeRuntime(
  entry: string,
  listeners: RuntimeListeners,
  env: Readonly<Record<string, string>> = {},
): RuntimeProcess {
  const child = fork(entry, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [],
    env: { ...process.env, ...env },
    // Ctrl-C reaches only the shell, which then asks the runtime to end in order.
    detached: process.platform !== 'win32',
  });
  let hasExited = false;
  const reportExit = (reason: string) => {
    if (hasExited) {
      return;
    }
    hasExited = true;
    listeners.onExit(reason);
  };
  child.on('message', (value) => {
    const message = fromRuntimeMessage.safeParse(value);
    if (message.success) {
      listeners.onMessage(message.data);
    }
  });
  child.on('error', (error) => {
    if (child.pid === undefined) {
      reportExit(error.message);
    }
  });
  // Later than `exit`: by then its last messages have been read, which may say why it ends.
  child.on('close', (code, signal) => reportExit(reasonOf(code, signal)));
  // A process that it has started may keep its channel open.
  child.on('exit', (code, signal) => setTimeout(() => reportExit(reasonOf(code, signal)), LAST_MESSAGES_MS));
  return {
    get pid() {
      return child.pid;
    },
    send(message) {
      if (child.connected) {
        child.send(message, () => {});
      }
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
