import { Agent, request } from 'node:http';
import type { OutgoingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../../../../../../test/support/seeded-random.ts';
import { truncate } from '../../support/contract-violation.ts';
import type { AttackConfig } from './messages.ts';

/** A request of an attacker. */
export interface AttackRequest {
  /** The attack under which the response is counted. */
  attack: string;
  method: string;
  path: string;
  key?: string;
  /** Loopback source address; when set, the request uses its own connection. */
  from?: string;
  headers?: OutgoingHttpHeaders;
  json?: unknown;
  body?: string | Buffer;
}

export interface AttackResponse {
  status: number;
  text: string;
  retryAfterS: number;
}

/** Shared context of all attacks. */
export interface AttackContext {
  config: AttackConfig;
  port: number;
  random: SeededRandom;
  /** Aborted at the end of the trial. */
  signal: AbortSignal;
  /** Reports the start of an activity, to find the cause of slow responses. */
  logActivity(what: string): void;
  sendRequest(ask: AttackRequest): Promise<AttackResponse | null>;
  /** Counts the end of a connection without a request. */
  count(attack: string, what: string): void;
  /** Waits; returns false when the trial has ended. */
  pause(ms: number): Promise<boolean>;
  tally: Record<string, Record<string, number>>;
  unexpectedResponses: string[];
}

const RESPONSE_TIMEOUT_MS = 90_000;

export function createAttackContext(
  deps: Pick<AttackContext, 'config' | 'random' | 'signal' | 'logActivity'> & {
    /** Called when an attack is counted for the first time. */
    onFirstCount: (attack: string) => void;
  },
): AttackContext {
  const { config, random, signal } = deps;
  const url = new URL(config.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const context: AttackContext = {
    config,
    port: Number(url.port),
    random,
    signal,
    tally: {},
    unexpectedResponses: [],
    logActivity: deps.logActivity,
    count(attack, what) {
      if (context.tally[attack] === undefined) {
        deps.onFirstCount(attack);
      }
      const counts = (context.tally[attack] ??= {});
      counts[what] = (counts[what] ?? 0) + 1;
    },
    async pause(ms) {
      await sleep(ms, undefined, { signal }).catch(() => {});
      return !signal.aborted;
    },
    sendRequest: (ask) =>
      new Promise((resolve) => {
        const { attack, method, path, key, from, headers } = ask;
        const body = ask.json === undefined ? ask.body : JSON.stringify(ask.json);
        const done = (answer: AttackResponse | null) => {
          context.count(attack, String(answer?.status ?? 0));
          const status = answer?.status ?? 0;
          if (status >= 500 && status !== 503 && status !== 507 && context.unexpectedResponses.length < 20) {
            context.unexpectedResponses.push(
              `${attack}: ${method} ${truncate(path, 200)} → ${status} ${truncate(answer?.text, 500)}`,
            );
          }
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
          timeout: RESPONSE_TIMEOUT_MS,
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
  return context;
}

/** A random loopback address, to simulate many attackers. */
export const randomLoopbackAddress = (random: SeededRandom): string =>
  `127.${2 + random.below(200)}.${random.below(256)}.${1 + random.below(254)}`;
