import { fromRuntime } from '../../runtime/shell-link.ts';
import type { RuntimeListeners, RuntimeProcess } from '../runtime-process.ts';
import type { UtilityChild } from './electron-ports.ts';

/** The runtime in a utility process of Electron, which ends with its parent. */
export function utilityRuntime(child: UtilityChild, listeners: RuntimeListeners): RuntimeProcess {
  child.on('message', (value) => {
    const message = fromRuntime.safeParse(value);
    if (message.success) listeners.onMessage(message.data);
  });
  let lastWords = '';
  child.on('error', (type, location) => {
    lastWords = `, ${type} in ${location}`;
  });
  child.once('exit', (code) => listeners.onExit(`code ${code}${lastWords}`));
  return {
    get pid() {
      return child.pid;
    },
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a process, not a window
    send: (message) => child.postMessage(message),
    kill() {
      // Electron's own asks in a way that a runtime which hangs does not hear.
      if (child.pid === undefined) {
        child.kill();
        return;
      }
      try {
        process.kill(child.pid, 'SIGKILL');
      } catch {
        // It was faster.
      }
    },
  };
}
