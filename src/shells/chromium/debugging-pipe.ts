import type { Readable, Writable } from 'node:stream';
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';

type Commands = ProtocolMapping.Commands;
type Events = ProtocolMapping.Events;

/**
 * The browser's debugging protocol over two inherited pipes: no TCP port that other programs could reach, and the
 * browser ends itself when the pipes close.
 */
export interface DebuggingPipe {
  /** Rejects when the browser answers with an error, times out or has ended. */
  send<Method extends keyof Commands>(
    method: Method,
    params?: Commands[Method]['paramsType'][0],
    sessionId?: string,
  ): Promise<Commands[Method]['returnType']>;
  on<Event extends keyof Events>(
    event: Event,
    listener: (params: Events[Event][0], sessionId: string | undefined) => void,
  ): void;
  /** Sets the response timeout of later commands, in milliseconds; without a value the default. */
  setResponseTimeout(ms?: number): void;
}

/** Messages of the browser are trusted to have the shapes of `devtools-protocol`. */
interface Incoming {
  id?: number;
  method?: string;
  params: never;
  result: never;
  error?: { message: string };
  sessionId?: string;
}

interface Pending {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

const RESPONSE_TIMEOUT_MS = 20_000;

export function createDebuggingPipe(toBrowser: Writable, fromBrowser: Readable): DebuggingPipe {
  const pending = new Map<number, Pending>();
  const listeners = new Map<string, ((params: never, sessionId: string | undefined) => void)[]>();
  let responseTimeoutMs = RESPONSE_TIMEOUT_MS;
  let lastId = 0;
  let isClosed = false;
  let buffer: Buffer = Buffer.alloc(0);

  fromBrowser.on('data', (chunk: Buffer) => {
    buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]);
    for (let messageEnd = buffer.indexOf(0); messageEnd >= 0; messageEnd = buffer.indexOf(0)) {
      const text = buffer.toString('utf8', 0, messageEnd);
      buffer = buffer.subarray(messageEnd + 1);
      receive(JSON.parse(text));
    }
  });
  for (const stream of [fromBrowser, toBrowser]) {
    stream.on('close', onClosed);
    stream.on('error', onClosed);
  }

  function receive(message: Incoming): void {
    if (message.id !== undefined) {
      const pendingCommand = pending.get(message.id);
      pending.delete(message.id);
      if (message.error) {
        pendingCommand?.reject(new Error(message.error.message));
      } else {
        pendingCommand?.resolve(message.result);
      }
    } else if (message.method !== undefined) {
      for (const listener of listeners.get(message.method) ?? []) {
        listener(message.params, message.sessionId);
      }
    }
  }

  function onClosed(): void {
    isClosed = true;
    for (const { reject } of pending.values()) {
      reject(new Error('the browser is gone'));
    }
    pending.clear();
  }

  return {
    send: (method, params, sessionId) =>
      new Promise((resolve, reject) => {
        if (isClosed) {
          reject(new Error('the browser is gone'));
          return;
        }
        lastId += 1;
        const id = lastId;
        const timer = setTimeout(() => {
          pending.delete(id);
          reject(new Error(`the browser did not answer ${method}`));
        }, responseTimeoutMs);
        pending.set(id, {
          resolve: (value) => {
            clearTimeout(timer);
            resolve(value);
          },
          reject: (error) => {
            clearTimeout(timer);
            reject(error);
          },
        });
        toBrowser.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      }),
    setResponseTimeout(ms = RESPONSE_TIMEOUT_MS) {
      responseTimeoutMs = Math.max(ms, RESPONSE_TIMEOUT_MS);
    },
    on(event, listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
    },
  };
}
