import type { Socket } from 'node:net';
import { connectSocket } from './line-socket.ts';

/** The shell on the serial port of a machine, as root. */
export interface SerialConsole {
  /** What a command printed, both streams; rejects when it fails or does not end in time. */
  run(command: string, withinMs?: number): Promise<string>;
  /** The same, null in place of a failure or silence: the machine may be off or starting. */
  tryRun(command: string, withinMs?: number): Promise<string | null>;
  close(): void;
}

const DEFAULT_WITHIN_MS = 60_000;

export async function openConsole(path: string): Promise<SerialConsole> {
  const socket: Socket = await connectSocket(path);
  let heard = '';
  let onHeard: (() => void) | null = null;
  let onClosed: (() => void) | null = null;
  socket.on('error', () => {});
  socket.on('close', () => onClosed?.());
  socket.setEncoding('utf8').on('data', (text: string) => {
    heard = (heard + text).slice(-4_000_000);
    onHeard?.();
  });
  let turn: Promise<unknown> = Promise.resolve();
  let count = 0;

  async function ask(command: string, withinMs: number): Promise<string> {
    if (socket.destroyed) throw new Error('the machine is off');
    const mark = `trial-${++count}-${Date.now()}`;
    heard = '';
    const script = Buffer.from(`${command}\n`).toString('base64');
    // The marks are put together by the shell, so that an echo of the line is not taken for the answer. No quotes: a
    // machine that starts loses the beginning of what waits on its serial port, and half a pair of them would take all
    // later lines for text.
    socket.write(
      `\nprintf %s%s\\\\n ${mark} -begin; echo ${script} | base64 -d >/run/trial.sh; TERM=dumb sh /run/trial.sh </dev/null 2>&1; printf %s-end%s\\\\n ${mark} =$?\n`,
    );
    const done = Promise.withResolvers<string>();
    const timer = setTimeout(
      () => done.reject(new Error(`no answer within ${withinMs} ms to: ${command}`)),
      withinMs,
    );
    onClosed = () => done.reject(new Error(`the machine is off, before an answer to: ${command}`));
    onHeard = () => {
      const end = new RegExp(`${mark}-begin\\r?\\n([\\s\\S]*?)${mark}-end=(\\d+)\\r?\\n`).exec(heard);
      if (!end) return;
      const output = end[1]!.replaceAll('\r\n', '\n').trimEnd();
      if (end[2] === '0') done.resolve(output);
      else done.reject(new Error(`${command} ended with ${end[2]}:\n${output}`));
    };
    try {
      return await done.promise;
    } finally {
      clearTimeout(timer);
      onHeard = onClosed = null;
    }
  }

  const run = (command: string, withinMs = DEFAULT_WITHIN_MS): Promise<string> => {
    const answer = turn.then(() => ask(command, withinMs));
    turn = answer.catch(() => null);
    return answer;
  };
  return {
    run,
    tryRun: (command, withinMs) => run(command, withinMs).catch(() => null),
    close: () => socket.destroy(),
  };
}
