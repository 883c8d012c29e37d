import { PlacardError } from './placard-error.ts';
import { parseRetryAfter } from './retry.ts';

export interface Attempt {
  url: string;
  init: RequestInit;
  signal: AbortSignal | undefined;
  /** 0 is no limit. */
  timeoutMs: number;
  /** `json`: the whole envelope is read. `response`: a success is handed over unread. */
  expects: 'json' | 'response';
}

/** A response that was a success. */
export interface Answer {
  response: Response;
  /** The envelope, when it was read. */
  envelope: { data?: unknown; meta?: unknown } | null;
}

/** Sends one request and reads its response. Throws `PlacardError`, or the reason of the caller's signal. */
export async function sendOnce(fetchFrom: typeof fetch, attempt: Attempt): Promise<Answer> {
  const { signal, timeoutMs } = attempt;
  signal?.throwIfAborted();
  const limit = new AbortController();
  const timer = timeoutMs > 0 ? setTimeout(() => limit.abort(), timeoutMs) : undefined;
  try {
    const response = await fetchFrom(attempt.url, {
      ...attempt.init,
      // The API never redirects; what does is another server, which gets no key.
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
    });
    if (response.ok && (attempt.expects === 'response' || response.status === 204)) {
      return { response, envelope: response.status === 204 ? {} : null };
    }
    const body = await readJson(response);
    if (response.ok && isObject(body) && body['success'] === true) {
      return { response, envelope: body };
    }
    throw errorFrom(response, body);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof PlacardError) {
      throw error;
    }
    throw limit.signal.aborted
      ? new PlacardError({
          code: 'TIMEOUT',
          status: 0,
          message: `The cloud did not answer within ${timeoutMs / 1000} s.`,
          cause: error,
        })
      : new PlacardError({
          code: 'CONNECTION_FAILED',
          status: 0,
          message: `No connection to ${new URL(attempt.url).origin}: ${causeOf(error)}.`,
          cause: error,
        });
  } finally {
    clearTimeout(timer);
  }
}

/** Undefined when the body is not JSON. */
async function readJson(response: Response): Promise<unknown> {
  const received = await response.text();
  try {
    return JSON.parse(received);
  } catch {
    return undefined;
  }
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function errorFrom(response: Response, body: unknown): PlacardError {
  const { status, headers } = response;
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {};
  const code = text(error['code']);
  return new PlacardError({
    // A proxy in between has no codes, but its status says whether another attempt makes sense.
    code: code ?? (status === 304 ? 'NOT_MODIFIED' : status >= 500 ? 'UNAVAILABLE' : 'INVALID_RESPONSE'),
    status,
    message:
      text(error['message']) ?? `The response with status ${status} does not come from a Placard cloud.`,
    details: error['details'],
    docUrl: text(error['doc_url']),
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), Date.now()),
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `fetch` says only that it failed; the reason is in its cause. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
