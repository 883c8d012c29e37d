import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** A proxy may swallow a request. */
const TIMEOUT_MS = 5_000;

/** What is cut: the connection in the middle of the body, or after the cloud has begun to answer. */
export type Cut = 'body_cut' | 'answer_lost';

/** Sends a request and closes its connection too early. Resolves when that has happened. */
export function sendCutRequest(
  { url, path, token, body, cut }: { url: string; path: string; token: string; body: unknown; cut: Cut },
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const bytes = Buffer.from(JSON.stringify(body));
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    const request = send(`${url}${path}`, {
      method: 'POST',
      agent: false,
      signal,
      timeout: TIMEOUT_MS,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': bytes.length,
      },
    });
    const end = () => request.destroy();
    request.on('error', end);
    request.on('timeout', end);
    request.on('response', end);
    request.on('close', () => resolve());
    if (cut === 'body_cut') {
      request.write(bytes.subarray(0, Math.floor(bytes.length / 2)), end);
    } else {
      request.end(bytes);
    }
  });
}
