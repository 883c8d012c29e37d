import { fork } from 'node:child_process';
import { fromRuntime, type FromRuntime, type ToRuntime } from '../runtime/shell-link.ts';

/** The runtime as a shell sees it, whatever started it. */
export interface RuntimeProcess {
  readonly pid: number | undefined;
  send(message: ToRuntime): void;
  /** Ends it at once. */
  kill(): void;
}

export interface RuntimeListeners {
  onMessage(message: FromRuntime): void;
  /** Once, with the reason. */
  onExit(reason: string): void;
}

export type StartRuntime = (listeners: RuntimeListeners) => RuntimeProcess;

/** Starts the runtime under plain Node. Its output is the player's; its IPC channel keeps it alive. */
export function startNodeRuntime(
  entry: string,
  listeners: RuntimeListeners,
  env: Readonly<Record<string, string>> = {},
): RuntimeProcess {
  const child = fork(entry, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [],
    env: { ...process.env, ...env },
    // Ctrl-C reaches the shell alone, which then asks the runtime to end in order.
    detached: process.platform !== 'win32',
  });
  let over = false;
  const exit = (reason: string) => {
    if (over) return;
    over = true;
    listeners.onExit(reason);
  };
  child.on('message', (value) => {
    const message = fromRuntime.safeParse(value);
    if (message.success) listeners.onMessage(message.data);
  });
  child.on('error', (error) => {
    if (child.pid === undefined) exit(error.message);
  });
  child.on('exit', (code, signal) => exit(signal ?? `code ${code}`));
  return {
    get pid() {
      return child.pid;
    },
    send(message) {
      if (child.connected) child.send(message, () => {});
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
