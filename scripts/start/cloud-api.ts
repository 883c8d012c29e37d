import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const READY_TIMEOUT_MS = 60_000;

const UNKNOWN_KEY =
  'The cloud does not accept the Admin key of this demo: its data folder was created with another key. Choose another folder, for example: npm start -- --data .placard-demo';

const envelope = z.discriminatedUnion('success', [
  z.object({ success: z.literal(true), data: z.unknown() }),
  z.object({ success: z.literal(false), error: z.object({ code: z.string(), message: z.string() }) }),
]);

/** The calls of the public API that `npm start` needs; each parses `data` of the response. Rejects with the server's message. */
export function createCloudApi(url: string, key: string) {
  async function call<T>(data: z.ZodType<T>, method: string, path: string, body?: object): Promise<T> {
    for (;;) {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
      });
      // An Admin key may make 30 requests a minute; repeated starts can reach that limit.
      if (response.status === 429) {
        await sleep(Number(response.headers.get('retry-after') ?? 1) * 1000);
        continue;
      }
      if (response.status === 401) {
        throw new Error(UNKNOWN_KEY);
      }
      const parsed = envelope.parse(await response.json());
      if (!parsed.success) {
        throw new Error(`${method} ${path}: ${parsed.error.message}`);
      }
      return data.parse(parsed.data);
    }
  }

  return {
    key,
    /** Resolves when the cloud is ready; rejects after a minute. */
    async waitUntilReady(): Promise<void> {
      const deadlineMs = Date.now() + READY_TIMEOUT_MS;
      while (Date.now() < deadlineMs) {
        const answer = await fetch(`${url}/readyz`).catch(() => null);
        if (answer?.ok) {
          return;
        }
        await sleep(100);
      }
      throw new Error(
        `The cloud at ${url} did not become ready. Is another program using the port? Try --port 8788.`,
      );
    },
    get: <T>(data: z.ZodType<T>, path: string) => call(data, 'GET', path),
    post: <T>(data: z.ZodType<T>, path: string, body: object) => call(data, 'POST', path, body),
    patch: (path: string, body: object) => call(z.unknown(), 'PATCH', path, body),
    remove: (path: string) => call(z.unknown(), 'DELETE', path),
    async upload<T>(data: z.ZodType<T>, file: string, tags: string): Promise<T> {
      const form = new FormData();
      form.set('tags', tags);
      form.set('file', await openAsBlob(file), basename(file));
      return call(data, 'POST', '/v1/content/upload', form);
    },
  };
}

export type CloudApi = ReturnType<typeof createCloudApi>;
