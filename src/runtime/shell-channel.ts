import type { Log } from '../core/ports.ts';
import { toRuntimeMessage } from './shell-messages.ts';
import type { FromRuntimeMessage, ParsedToRuntimeMessage } from './shell-messages.ts';

/** The channel in Electron's `utilityProcess`; `child_process` uses `process` itself. */
interface ParentPort {
  on(event: 'message', listener: (event: { data: unknown }) => void): void;
  postMessage(message: unknown): void;
}

/** Opens the message channel to the shell that started this process, for all kinds of shells. */
export function openShellChannel(deps: {
  log: Log;
  onMessage(message: ParsedToRuntimeMessage): void;
  /** The shell is gone: the process must exit by itself. */
  onClosed(): void;
}): { send(message: FromRuntimeMessage): void } {
  const take = (value: unknown) => {
    const parsed = toRuntimeMessage.safeParse(value);
    if (parsed.success) {
      deps.onMessage(parsed.data);
    } else {
      deps.log.warn({ problem: parsed.error.message }, 'shell.message_rejected');
    }
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
      if (process.connected) {
        process.send?.(message, undefined, undefined, () => {});
      }
    },
  };
}
