import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_WITHIN_MS = 15_000;

interface Envelope {
  success: boolean;
  data?: unknown;
  meta?: { total: number };
  error?: { code: string; message: string };
}

/** The few calls of the public API that a start needs. Rejects with the server's own sentence. */
export function cloudApi(url: string, key: string) {
  async function call<T>(method: string, path: string, body?: object | FormData): Promise<T> {
    for (;;) {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
      });
      // An Admin key may make 30 requests a minute; a start of several in a row can meet that limit.
      if (response.status === 429) {
        await sleep(Number(response.headers.get('retry-after') ?? 1) * 1000);
        continue;
      }
      const envelope = (await response.json()) as Envelope;
      if (!envelope.success)
        throw new Error(`${method} ${path}: ${envelope.error?.message ?? response.statusText}`);
      return envelope.data as T;
    }
  }

  return {
    /** Resolves when the cloud answers; rejects after 15 s. */
    async ready(): Promise<void> {
      const deadline = Date.now() + READY_WITHIN_MS;
      while (Date.now() < deadline) {
        const answer = await fetch(`${url}/readyz`).catch(() => null);
        if (answer?.ok) return;
        await sleep(100);
      }
      throw new Error(
        `The cloud at ${url} did not become ready. Is another program using the port? Try --port 8788.`,
      );
    },
    get: <T>(path: string) => call<T>('GET', path),
    post: <T>(path: string, body: object) => call<T>('POST', path, body),
    patch: <T>(path: string, body: object) => call<T>('PATCH', path, body),
    async upload<T>(file: string, tags: string): Promise<T> {
      const form = new FormData();
      form.set('tags', tags);
      form.set('file', await openAsBlob(file), basename(file));
      return call<T>('POST', '/v1/content/upload', form);
    },
  };
}

export type CloudApi = ReturnType<typeof cloudApi>;
