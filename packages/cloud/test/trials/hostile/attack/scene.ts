import { Agent, request } from 'node:http';
import type { OutgoingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Chance } from '../../support/chance.ts';
import { short } from '../../support/breach.ts';
import type { Orders } from './messages.ts';

/** A request of the hostile side. */
export interface Ask {
  /** Under which its answer is counted. */
  attack: string;
  method: string;
  path: string;
  key?: string;
  /** Loopback address that it comes from; with one it has a connection of its own. */
  from?: string;
  headers?: OutgoingHttpHeaders;
  json?: unknown;
  body?: string | Buffer;
}

export interface Asked {
  status: number;
  text: string;
  retryAfterS: number;
}

/** What every attack has: where the cloud is, chance, and its hands. */
export interface Scene {
  orders: Orders;
  port: number;
  chance: Chance;
  /** Aborted when the trial is over. */
  signal: AbortSignal;
  /** Says what begins now, for whoever looks for the cause of a slow answer. */
  did(what: string): void;
  ask(ask: Ask): Promise<Asked | null>;
  /** Counts the end of a connection that was no request. */
  count(attack: string, what: string): void;
  /** Waits; false when the trial is over. */
  pause(ms: number): Promise<boolean>;
  tally: Record<string, Record<string, number>>;
  wrong: string[];
}

const ANSWER_WITHIN_MS = 90_000;

export function createScene(
  deps: Pick<Scene, 'orders' | 'chance' | 'signal'> & { send: (what: string) => void },
): Scene {
  const { orders, chance, signal } = deps;
  const url = new URL(orders.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const scene: Scene = {
    orders,
    port: Number(url.port),
    chance,
    signal,
    tally: {},
    wrong: [],
    did: deps.send,
    count(attack, what) {
      const counts = (scene.tally[attack] ??= {});
      counts[what] = (counts[what] ?? 0) + 1;
    },
    async pause(ms) {
      await sleep(ms, undefined, { signal }).catch(() => {});
      return !signal.aborted;
    },
    ask: (ask) =>
      new Promise((resolve) => {
        const { attack, method, path, key, from, headers } = ask;
        const body = ask.json === undefined ? ask.body : JSON.stringify(ask.json);
        const done = (answer: Asked | null) => {
          scene.count(attack, String(answer?.status ?? 0));
          const status = answer?.status ?? 0;
          if (status >= 500 && status !== 503 && status !== 507 && scene.wrong.length < 20)
            scene.wrong.push(
              `${attack}: ${method} ${short(path, 200)} → ${status} ${short(answer?.text, 500)}`,
            );
          resolve(answer);
        };
        const outgoing = request({
          host: url.hostname,
          port: url.port,
          method,
          path,
          agent: from === undefined ? agent : false,
          ...(from === undefined ? {} : { localAddress: from }),
          headers: {
            ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
            ...(ask.json === undefined ? {} : { 'content-type': 'application/json' }),
            ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
            ...headers,
          },
          timeout: ANSWER_WITHIN_MS,
          signal,
        });
        outgoing.once('response', (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          response.once('error', () => done(null));
          response.once('end', () =>
            done({
              status: response.statusCode ?? 0,
              text,
              retryAfterS: Number(response.headers['retry-after'] ?? 0),
            }),
          );
        });
        outgoing.once('timeout', () => outgoing.destroy());
        outgoing.once('error', () => done(null));
        outgoing.end(body);
      }),
  };
  return scene;
}

/** Any of so many addresses of this machine; the outside may be as many. */
export const anyAddress = (chance: Chance): string =>
  `127.${2 + chance.int(200)}.${chance.int(256)}.${1 + chance.int(254)}`;
