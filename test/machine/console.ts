import type { Socket } from 'node:net';
import { connectSocket } from './connect-socket.ts';

/** A root shell on the serial port of a machine. */
export interface SerialConsole {
  /** Returns the output of a command, both streams; rejects when it fails or does not end in time. */
  run(command: string, withinMs?: number): Promise<string>;
  /** The same, but null on failure or timeout: the machine may be off or starting. */
  tryRun(command: string, withinMs?: number): Promise<string | null>;
  close(): void;
}

const DEFAULT_WITHIN_MS = 60_000;

export async function openConsole(path: string): Promise<SerialConsole> {
  const socket: Socket = await connectSocket(path);
  let received = '';
  let onData: (() => void) | null = null;
  let onClosed: (() => void) | null = null;
  socket.on('error', () => {});
  socket.on('close', () => onClosed?.());
  socket.setEncoding('utf8').on('data', (text: string) => {
    received = (received + text).slice(-4_000_000);
    onData?.();
  });
  let queue: Promise<unknown> = Promise.resolve();
  let count = 0;

  async function execute(command: string, withinMs: number): Promise<string> {
    if (socket.destroyed) {
      throw new Error('the machine is off');
    }
    const mark = `trial-${++count}-${Date.now()}`;
    received = '';
    const script = Buffer.from(`${command}\n`).toString('base64');
    // The shell assembles the markers, so that an echo of the line does not match as output. No quotes: a starting machine
    // loses the beginning of its serial input, and an unpaired quote would turn all later lines into text.
    socket.write(
      `\nprintf %s%s\\\\n ${mark} -begin; echo ${script} | base64 -d >/run/trial.sh; TERM=dumb sh /run/trial.sh </dev/null 2>&1; printf %s-end%s\\\\n ${mark} =$?\n`,
    );
    const done = Promise.withResolvers<string>();
    const timer = setTimeout(
      () => done.reject(new Error(`no output within ${withinMs} ms to: ${command}`)),
      withinMs,
    );
    onClosed = () => done.reject(new Error(`the machine went off before the end of: ${command}`));
    onData = () => {
      const end = new RegExp(`${mark}-begin\\r?\\n([\\s\\S]*?)${mark}-end=(\\d+)\\r?\\n`).exec(received);
      if (!end) {
        return;
      }
      const output = end[1]!.replaceAll('\r\n', '\n').trimEnd();
      if (end[2] === '0') {
        done.resolve(output);
      } else {
        done.reject(new Error(`${command} ended with ${end[2]}:\n${output}`));
      }
    };
    try {
      return await done.promise;
    } finally {
      clearTimeout(timer);
      onData = onClosed = null;
    }
  }

  const run = (command: string, withinMs = DEFAULT_WITHIN_MS): Promise<string> => {
    const result = queue.then(() => execute(command, withinMs));
    queue = result.catch(() => null);
    return result;
  };
  return {
    run,
    tryRun: (command, withinMs) => run(command, withinMs).catch(() => null),
    close: () => socket.destroy(),
  };
}
