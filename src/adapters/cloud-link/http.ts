import { Fault } from '@placard/protocol';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { parseJson } from '../../core/parse-json.ts';
import type { Clock, Random, RefusedResponse } from '../../core/ports.ts';
import { retryAfterMs, toNetworkFault } from './network-faults.ts';

export interface CloudHttpDeps {
  /** Address of the cloud. */
  server: string;
  playerVersion: string;
  dispatcher: Dispatcher;
  clock: Pick<Clock, 'monoMs' | 'sleep'>;
  /** Adds jitter to the waits that the cloud asks for. */
  random: Pick<Random, 'next'>;
  /** The cloud sent its time in a response that took at most `roundTripMs`. */
  onServerTime(serverMs: number, roundTripMs: number): void;
}

export interface CloudCall {
  method: 'GET' | 'POST';
  /** `/v1/player/…`. */
  path: string;
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal: AbortSignal;
}

/** A response of a Placard cloud: one of the two envelopes, or 304 without a body. */
export interface CloudResponse {
  status: number;
  /** Null for an error or 304. */
  data: unknown;
  /** Null for a success. */
  errorCode: string | null;
  /** How long to wait before the next attempt; null when the cloud did not say. */
  retryAfterMs: number | null;
  /** Server time in milliseconds since 1970, precise to the second; null when the response has no date. */
  serverMs: number | null;
}

const envelope = z.union([
  z.object({ success: z.literal(true), data: z.unknown() }),
  z.object({ success: z.literal(false), error: z.object({ code: z.string(), message: z.string() }) }),
]);

/** Timeout for a whole response. */
const TIMEOUT_MS = 20_000;
/** A long body, such as plays of several days or a large manifest, gets more time at this minimum rate. */
const MIN_BYTES_PER_SECOND = 4_000;
/** A manifest with 5,000 assets is about 2 MB. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/**
 * Sends one request to the cloud. Anything that is not a response of a Placard cloud (a login page, a truncated
 * body, a proxy's error) throws `Fault`. Only the envelopes are returned, so nothing else can unpair a player.
 */
export async function callCloud(deps: CloudHttpDeps, options: CloudCall): Promise<CloudResponse> {
  const details = { path: options.path };
  const [timeout, finished] = [new AbortController(), new AbortController()];
  const body = options.body === undefined ? null : JSON.stringify(options.body);
  let transferredBytes = body === null ? 0 : Buffer.byteLength(body);
  void abortOnTimeout(deps.clock, () => transferredBytes, timeout, finished.signal);
  const { request } = await import('undici');
  const began = performance.now();
  let response: Dispatcher.ResponseData;
  let text: string;
  try {
    response = await request(`${deps.server}${options.path}`, {
      method: options.method,
      dispatcher: deps.dispatcher,
      // Off, because undici counts the upload of a long report as waiting for the headers.
      headersTimeout: 0,
      signal: AbortSignal.any([options.signal, timeout.signal]),
      headers: {
        accept: 'application/json',
        'user-agent': `placard/${deps.playerVersion}`,
        ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      body,
    });
    text = await readText(response, (bytes) => (transferredBytes += bytes));
  } catch (error) {
    throw toNetworkFault(error, details);
  } finally {
    finished.abort();
  }
  const status = response.statusCode;
  const waitMs = retryAfterMs(response.headers['retry-after'], deps.random);
  const date = Date.parse(String(response.headers.date));
  const common = { status, retryAfterMs: waitMs, serverMs: Number.isFinite(date) ? date : null };
  if (status === 304) {
    return { ...common, data: null, errorCode: null };
  }
  const parsed = envelope.safeParse(parseJson(text));
  if (!parsed.success) {
    if (status >= 500) {
      throw new Fault('cloud.unreachable', toRetry(waitMs), { ...details, status });
    }
    if (status === 429) {
      throw new Fault('cloud.busy', toRetry(waitMs), { ...details, status });
    }
    throw new Fault('cloud.not_placard', 'later', { ...details, status });
  }
  // The header has whole seconds, so the true time may be up to one second later.
  if (Number.isFinite(date)) {
    deps.onServerTime(date, performance.now() - began + 1_000);
  }
  return parsed.data.success
    ? { ...common, data: parsed.data.data, errorCode: null }
    : { ...common, data: null, errorCode: parsed.data.error.code };
}

async function abortOnTimeout(
  clock: CloudHttpDeps['clock'],
  transferredBytes: () => number,
  timeout: AbortController,
  finished: AbortSignal,
): Promise<void> {
  const deadlineMonoMs = clock.monoMs() + TIMEOUT_MS;
  const remainingMs = () =>
    deadlineMonoMs + Math.floor(transferredBytes() / MIN_BYTES_PER_SECOND) * 1_000 - clock.monoMs();
  while (!finished.aborted && remainingMs() > 0) {
    await clock.sleep(remainingMs(), finished);
  }
  if (!finished.aborted) {
    timeout.abort(new DOMException('the response took too long', 'TimeoutError'));
  }
}

/** Returns the data of a success; throws the matching `Fault` for anything else. */
export function parseData<T extends z.ZodType>(
  schema: T,
  path: string,
  response: CloudResponse,
): z.output<T> {
  if (response.errorCode !== null) {
    throw toRefusalFault(path, response);
  }
  const parsed = schema.safeParse(response.data);
  if (parsed.success) {
    return parsed.data;
  }
  throw new Fault('cloud.not_placard', 'later', { path, problem: parsed.error.message.slice(0, 500) });
}

export function toRefusalFault(path: string, response: CloudResponse): Fault {
  const details = { path, status: response.status, code: response.errorCode };
  if (response.status === 429 || response.status === 503) {
    return new Fault('cloud.busy', toRetry(response.retryAfterMs), details);
  }
  return new Fault(response.status >= 500 ? 'cloud.unreachable' : 'cloud.refused', 'later', details);
}

/** These refuse the caller or the moment, not the content of the request. */
const TEMPORARY_REFUSALS: ReadonlySet<number> = new Set([401, 403, 407, 408, 421, 425, 429]);

export const findPermanentRefusal = ({ status, errorCode }: CloudResponse): RefusedResponse | null =>
  errorCode !== null && status >= 400 && status < 500 && !TEMPORARY_REFUSALS.has(status)
    ? { kind: 'refused', status, code: errorCode }
    : null;

/** The only response that unpairs a player. */
export const isUnpaired = (response: CloudResponse): boolean =>
  response.status === 401 && response.errorCode === 'DEVICE_UNPAIRED';

const toRetry = (afterMs: number | null) => (afterMs === null ? ('later' as const) : { afterMs });

async function readText(
  response: Dispatcher.ResponseData,
  onBytes: (bytes: number) => void,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const body: AsyncIterable<Buffer> = response.body;
  for await (const chunk of body) {
    size += chunk.length;
    onBytes(chunk.length);
    if (size > MAX_RESPONSE_BYTES) {
      throw new Fault('cloud.not_placard', 'later', { reason: 'too large' });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
