import { fromRuntimeMessage } from '../../runtime/shell-messages.ts';
import type { RuntimeListeners, RuntimeProcess } from '../supervision/runtime-process.ts';
import type { UtilityChild } from './electron-ports.ts';

/** The runtime in a utility process of Electron, which ends with its parent. */
export function createUtilityRuntime(child: UtilityChild, listeners: RuntimeListeners): RuntimeProcess {
  child.on('message', (value) => {
    const message = fromRuntimeMessage.safeParse(value);
    if (message.success) {
      listeners.onMessage(message.data);
    }
  });
  let v8Error = '';
  child.on('error', (type, location) => {
    v8Error = `, ${type} in ${location}`;
  });
  child.once('exit', (code) => listeners.onExit(`code ${code}${v8Error}`));
  return {
    get pid() {
      return child.pid;
    },
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a process, not a window
    send: (message) => child.postMessage(message),
    kill() {
      // Electron's own `kill` sends a signal that a hanging runtime does not handle.
      if (child.pid === undefined) {
        child.kill();
        return;
      }
      try {
        process.kill(child.pid, 'SIGKILL');
      } catch {
        // It has already ended.
      }
    },
  };
}
