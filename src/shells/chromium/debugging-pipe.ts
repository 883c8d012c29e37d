import type { Readable, Writable } from 'node:stream';
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';

type Commands = ProtocolMapping.Commands;
type Events = ProtocolMapping.Events;

/**
 * The browser's debugging protocol over two inherited pipes: no TCP port that anyone else could reach, and a
 * browser that ends itself when the pipes close.
 */
export interface DebuggingPipe {
  /** Rejects when the browser answers with an error, takes too long or is gone. */
  send<Method extends keyof Commands>(
    method: Method,
    params?: Commands[Method]['paramsType'][0],
    sessionId?: string,
  ): Promise<Commands[Method]['returnType']>;
  on<Event extends keyof Events>(
    event: Event,
    listener: (params: Events[Event][0], sessionId: string | undefined) => void,
  ): void;
  /** How long what is sent from now on waits for its answer: the usual time, or longer. Milliseconds. */
  waitForAnswers(ms?: number): void;
}

/** What comes over the pipe is the browser's word; its shapes are those of `devtools-protocol`. */
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

const ANSWER_PATIENCE_MS = 20_000;

export function createDebuggingPipe(toBrowser: Writable, fromBrowser: Readable): DebuggingPipe {
  const pending = new Map<number, Pending>();
  const listeners = new Map<string, ((params: never, sessionId: string | undefined) => void)[]>();
  let answerWithinMs = ANSWER_PATIENCE_MS;
  let lastId = 0;
  let gone = false;
  let rest: Buffer = Buffer.alloc(0);

  fromBrowser.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      const text = rest.toString('utf8', 0, end);
      rest = rest.subarray(end + 1);
      receive(JSON.parse(text));
    }
  });
  for (const stream of [fromBrowser, toBrowser]) {
    stream.on('close', end);
    stream.on('error', end);
  }

  function receive(message: Incoming): void {
    if (message.id !== undefined) {
      const waiting = pending.get(message.id);
      pending.delete(message.id);
      if (message.error) waiting?.reject(new Error(message.error.message));
      else waiting?.resolve(message.result);
    } else if (message.method !== undefined) {
      for (const listener of listeners.get(message.method) ?? []) {
        listener(message.params, message.sessionId);
      }
    }
  }

  function end(): void {
    gone = true;
    for (const { reject } of pending.values()) reject(new Error('the browser is gone'));
    pending.clear();
  }

  return {
    send: (method, params, sessionId) =>
      new Promise((resolve, reject) => {
        if (gone) {
          reject(new Error('the browser is gone'));
          return;
        }
        lastId += 1;
        const id = lastId;
        const timer = setTimeout(() => {
          pending.delete(id);
          reject(new Error(`the browser did not answer ${method}`));
        }, answerWithinMs);
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
    waitForAnswers(ms = ANSWER_PATIENCE_MS) {
      answerWithinMs = Math.max(ms, ANSWER_PATIENCE_MS);
    },
    on(event, listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
    },
  };
}
