import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '@placard/protocol/api';
import { Agent, request } from 'undici';
import { z } from 'zod';
import type { CloudApi } from '../../../../../test/simulate/cloud-api/api.ts';
import { assert } from '../support/contract-violation.ts';
import { randomPng } from '../support/media.ts';
import { multipart } from '../support/multipart.ts';

/** A key may write thirty times a minute, of which some are repetitions. */
const INTERVAL_MS = 3_000;
const RETRY_MS = 500;
const PAGE = 100;

const uploaded = z.object({ data: z.object({ id: z.string() }) });

/** Files that are uploaded one after the other. */
export interface Uploads {
  /** By name. */
  readonly acknowledged: ReadonlyMap<string, { id: string; sha256: string }>;
  /** Requests that were sent again. */
  readonly retries: number;
  /** Resolves when the last one was answered. */
  stop(): Promise<void>;
}

/** Uploads a small image every few seconds, each with its Idempotency-Key until it is answered. */
export function startUploads({ url, key }: { url: string; key: string }): Uploads {
  const agent = new Agent();
  const acknowledged = new Map<string, { id: string; sha256: string }>();
  const stopping = new AbortController();
  let retries = 0;

  async function upload(name: string): Promise<void> {
    const bytes = randomPng(40, 40);
    const form = multipart({ name }, { fileName: 'x.png', contentType: 'image/png', bytes });
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': form.contentType,
      'idempotency-key': randomUUID(),
    };
    for (;;) {
      const answer = await request(`${url}/v1/content/upload`, {
        method: 'POST',
        headers,
        body: form.body,
        dispatcher: agent,
      })
        .then(async ({ statusCode, headers: { 'retry-after': retryAfter }, body }) => ({
          statusCode,
          retryAfter: Number(retryAfter ?? 0),
          text: await body.text(),
        }))
        .catch(() => null);
      if (answer?.statusCode === 201) {
        const { id } = uploaded.parse(JSON.parse(answer.text)).data;
        acknowledged.set(name, { id, sha256: createHash('sha256').update(bytes).digest('hex') });
        return;
      }
      const mayRepeat = answer === null || answer.statusCode >= 500 || [409, 429].includes(answer.statusCode);
      assert(mayRepeat, 'an upload was refused', answer?.text);
      retries += 1;
      await sleep(Math.max(RETRY_MS, 1_000 * (answer?.retryAfter ?? 0)));
    }
  }

  async function run(): Promise<void> {
    for (let number = 0; !stopping.signal.aborted; number++) {
      await upload(`picture ${number}`);
      await sleep(INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const running = run();
  // Whoever stops it gets the failure.
  running.catch(() => {});
  return {
    acknowledged,
    get retries() {
      return retries;
    },
    async stop() {
      stopping.abort();
      try {
        await running;
      } finally {
        await agent.destroy();
      }
    },
  };
}

/** What is wrong: acknowledged files that are missing or damaged, and files that are there twice. */
export async function auditUploads(api: CloudApi, { acknowledged }: Uploads): Promise<string[]> {
  const found = new Map<string, { id: string; url: string }>();
  const problems: string[] = [];
  for (let page = 1, rows = PAGE; rows === PAGE; page++) {
    const content = await api.call(operations.listContent, { query: { page, limit: PAGE } });
    for (const { name, id, url } of content) {
      if (found.has(name)) {
        problems.push(`${name} exists twice`);
      }
      found.set(name, { id, url });
    }
    rows = content.length;
  }
  for (const [name, { id, sha256 }] of acknowledged) {
    const asset = found.get(name);
    if (asset?.id !== id) {
      problems.push(`${name} is lost: ${id} was acknowledged, ${asset?.id ?? 'nothing'} is there`);
      continue;
    }
    const { body } = await request(asset.url);
    const hash = createHash('sha256').update(Buffer.from(await body.arrayBuffer()));
    if (hash.digest('hex') !== sha256) {
      problems.push(`the file of ${name} is not what was uploaded`);
    }
  }
  return problems;
}
