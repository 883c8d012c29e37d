import { Fault } from '@placard/protocol';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import type { Clock, Random, Refused } from '../../core/ports.ts';
import { retryAfterMs, translateNetwork } from './translate.ts';

export interface CloudHttpDeps {
  /** Address of the cloud, without a slash at its end. */
  server: string;
  playerVersion: string;
  dispatcher: Dispatcher;
  clock: Pick<Clock, 'mono' | 'sleep'>;
  random: Pick<Random, 'next'>;
  /** The cloud told the time in an answer that took at most `roundTripMs`. */
  onServerTime(serverMs: number, roundTripMs: number): void;
}

export interface Call {
  method: 'GET' | 'POST';
  /** `/v1/player/…`. */
  path: string;
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal: AbortSignal;
}

/** An answer of a Placard cloud: one of the two envelopes, or 304 without a body. */
export interface Answer {
  status: number;
  /** Null: an error, or 304. */
  data: unknown;
  /** Null: a success. */
  errorCode: string | null;
  /** How long to wait before the next try; null: the cloud did not say. */
  retryAfterMs: number | null;
  /** Milliseconds since 1970 by the server, to the second; null when it did not say. */
  serverMs: number | null;
}

const envelope = z.union([
  z.object({ success: z.literal(true), data: z.unknown() }),
  z.object({ success: z.literal(false), error: z.object({ code: z.string(), message: z.string() }) }),
]);

/** A whole answer must be there by then, */
const TIMEOUT_MS = 20_000;
/** or later, as long as this many bytes go to and fro every second: plays of days, or a manifest on a slow line. */
const SLOW_BYTES_PER_SECOND = 4_000;
/** A manifest with 5,000 assets is about 2 MB. */
const LARGEST_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * One call to the cloud. Whatever is not an answer of a Placard cloud (a log-in page, half a body, a proxy's error)
 * throws `Fault`; only the envelopes get through, so nothing else can ever unpair a player.
 */
export async function call(deps: CloudHttpDeps, one: Call): Promise<Answer> {
  const facts = { path: one.path };
  const [late, done] = [new AbortController(), new AbortController()];
  const body = one.body === undefined ? null : JSON.stringify(one.body);
  let carriedBytes = body === null ? 0 : Buffer.byteLength(body);
  void abortLate(deps.clock, () => carriedBytes, late, done.signal);
  const { request } = await import('undici');
  const began = performance.now();
  let response: Dispatcher.ResponseData;
  let text: string;
  try {
    response = await request(`${deps.server}${one.path}`, {
      method: one.method,
      dispatcher: deps.dispatcher,
      // The time of a long report to get there counts as time without an answer.
      headersTimeout: 0,
      signal: AbortSignal.any([one.signal, late.signal]),
      headers: {
        accept: 'application/json',
        'user-agent': `placard/${deps.playerVersion}`,
        ...(one.token === undefined ? {} : { authorization: `Bearer ${one.token}` }),
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...one.headers,
      },
      body,
    });
    text = await readText(response, (bytes) => (carriedBytes += bytes));
  } catch (error) {
    throw translateNetwork(error, facts);
  } finally {
    done.abort();
  }
  const status = response.statusCode;
  const waitMs = retryAfterMs(response.headers['retry-after'], deps.random);
  const date = Date.parse(String(response.headers.date));
  const known = { status, retryAfterMs: waitMs, serverMs: Number.isFinite(date) ? date : null };
  if (status === 304) return { ...known, data: null, errorCode: null };
  const parsed = envelope.safeParse(parseJson(text));
  if (!parsed.success) {
    if (status >= 500) throw new Fault('cloud.unreachable', retry(waitMs), { ...facts, status });
    if (status === 429) throw new Fault('cloud.busy', retry(waitMs), { ...facts, status });
    throw new Fault('cloud.not_placard', 'later', { ...facts, status });
  }
  // The header has whole seconds, so the true time may be up to one later.
  if (Number.isFinite(date)) deps.onServerTime(date, performance.now() - began + 1_000);
  return parsed.data.success
    ? { ...known, data: parsed.data.data, errorCode: null }
    : { ...known, data: null, errorCode: parsed.data.error.code };
}

async function abortLate(
  clock: CloudHttpDeps['clock'],
  carriedBytes: () => number,
  late: AbortController,
  done: AbortSignal,
): Promise<void> {
  const lateMono = clock.mono() + TIMEOUT_MS;
  const leftMs = () => lateMono + Math.floor(carriedBytes() / SLOW_BYTES_PER_SECOND) * 1_000 - clock.mono();
  while (!done.aborted && leftMs() > 0) await clock.sleep(leftMs(), done);
  if (!done.aborted) late.abort(new DOMException('no whole answer in time', 'TimeoutError'));
}

/** The data of a success; anything else is a `Fault` with the code that fits. */
export function dataOf<T extends z.ZodType>(schema: T, path: string, answer: Answer): z.output<T> {
  if (answer.errorCode !== null) throw refusal(path, answer);
  const parsed = schema.safeParse(answer.data);
  if (parsed.success) return parsed.data;
  throw new Fault('cloud.not_placard', 'later', { path, problem: parsed.error.message.slice(0, 500) });
}

export function refusal(path: string, answer: Answer): Fault {
  const facts = { path, status: answer.status, code: answer.errorCode };
  if (answer.status === 429 || answer.status === 503) {
    return new Fault('cloud.busy', retry(answer.retryAfterMs), facts);
  }
  return new Fault(answer.status >= 500 ? 'cloud.unreachable' : 'cloud.refused', 'later', facts);
}

/** Who asks, or when, is refused by these, not what is asked. */
const REFUSED_FOR_NOW: ReadonlySet<number> = new Set([401, 403, 407, 408, 421, 425, 429]);

export const refusedForGood = ({ status, errorCode }: Answer): Refused | null =>
  errorCode !== null && status >= 400 && status < 500 && !REFUSED_FOR_NOW.has(status)
    ? { kind: 'refused', status, code: errorCode }
    : null;

/** The only answer that unpairs a player. */
export const saysUnpaired = (answer: Answer): boolean =>
  answer.status === 401 && answer.errorCode === 'DEVICE_UNPAIRED';

const retry = (afterMs: number | null) => (afterMs === null ? ('later' as const) : { afterMs });

async function readText(
  response: Dispatcher.ResponseData,
  arrived: (bytes: number) => void,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const body: AsyncIterable<Buffer> = response.body;
  for await (const chunk of body) {
    size += chunk.length;
    arrived(chunk.length);
    if (size > LARGEST_ANSWER_BYTES) throw new Fault('cloud.not_placard', 'later', { reason: 'too large' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
