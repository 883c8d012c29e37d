import { createInterface } from 'node:readline';
import { z } from 'zod';
import { connectSocket } from './connect-socket.ts';

/** A client of QEMU's machine protocol (QMP): sends commands, receives responses and events. */
export interface Monitor {
  /** Rejects with QEMU's error message. */
  call(command: string, args?: object): Promise<unknown>;
  /** How many events of this name have been received. */
  count(event: string): number;
  close(): void;
}

const message = z.object({
  event: z.string().optional(),
  id: z.number().optional(),
  return: z.unknown().optional(),
  error: z.object({ desc: z.string() }).optional(),
});

export async function openMonitor(path: string): Promise<Monitor> {
  const socket = await connectSocket(path);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const events = new Map<string, number>();
  let last = 0;
  socket.on('error', () => {});
  socket.on('close', () => {
    for (const { reject } of waiting.values()) {
      reject(new Error('the machine is off'));
    }
    waiting.clear();
  });
  createInterface(socket).on('line', (line) => {
    const { event, id, error, return: result } = message.parse(JSON.parse(line));
    if (event !== undefined) {
      events.set(event, (events.get(event) ?? 0) + 1);
    }
    if (id === undefined) {
      return;
    }
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (error) {
      waiter?.reject(new Error(error.desc));
    } else {
      waiter?.resolve(result);
    }
  });
  const call = (command: string, args: object = {}): Promise<unknown> => {
    const waiter = Promise.withResolvers<unknown>();
    if (socket.destroyed) {
      return Promise.reject(new Error('the machine is off'));
    }
    waiting.set(++last, waiter);
    socket.write(`${JSON.stringify({ execute: command, arguments: args, id: last })}\n`);
    return waiter.promise;
  };
  await call('qmp_capabilities');
  return { call, count: (event) => events.get(event) ?? 0, close: () => socket.destroy() };
}
