import type { Log } from '../core/ports.ts';
import { toRuntime, type FromRuntime, type FromShell } from './shell-link.ts';

export interface ShellChannel {
  send(message: FromRuntime): void;
}

/** How Electron's `utilityProcess` hands its channel over; `child_process` uses `process` itself. */
interface ParentPort {
  on(event: 'message', listener: (event: { data: unknown }) => void): void;
  postMessage(message: unknown): void;
}

/** The channel to the shell that started this process, whatever kind of shell it is. */
export function openShellChannel(deps: {
  log: Log;
  onMessage(message: FromShell): void;
  /** The shell is gone: nobody would end this process. */
  onClosed(): void;
}): ShellChannel {
  const take = (value: unknown) => {
    const parsed = toRuntime.safeParse(value);
    if (parsed.success) deps.onMessage(parsed.data);
    else deps.log.warn({ problem: parsed.error.message }, 'shell.message_invalid');
  };
  const parentPort = (process as { parentPort?: ParentPort }).parentPort;
  if (parentPort) {
    parentPort.on('message', (event) => take(event.data));
    const post = parentPort.postMessage.bind(parentPort);
    return { send: (message) => post(message) };
  }
  process.on('message', take);
  process.on('disconnect', () => deps.onClosed());
  return {
    send(message) {
      if (process.connected) process.send?.(message, undefined, undefined, () => {});
    },
  };
}
