import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { Breach, must, short } from '../support/breach.ts';
import { createChance } from '../support/chance.ts';
import type { Chance } from '../support/chance.ts';
import { createClient, shown } from '../support/client.ts';
import type { Answer, Call, Client } from '../support/client.ts';
import { freePort, makeAdminKey, startCloudProcess } from '../support/cloud-process.ts';
import { messageOf } from '../support/json.ts';
import { createKeyRing } from '../support/key-ring.ts';
import { openReceiver } from '../support/receiver.ts';
import { createPool } from './pool.ts';
import type { Pool } from './pool.ts';
import { callOf, mutate } from './mutate.ts';
import type { Draft } from './mutate.ts';
import { readOperations } from './spec.ts';
import type { FuzzOperation } from './spec.ts';
import { fromSchema } from './values.ts';

export interface FuzzTrial {
  requests: number;
  seed: number;
  /** Go on after a breach and report all; otherwise the first one rejects. */
  collect?: boolean;
  onProgress?: (sent: number, rssMiB: number) => void;
}

export interface FuzzReport {
  seed: number;
  requests: number;
  operations: number;
  /** Operations that answered 2xx at least once. */
  succeeded: number;
  neverSucceeded: string[];
  byStatus: Record<string, number>;
  /** Resident memory that the server keeps, MiB: after a quarter of the requests, when all is loaded and compiled, after half, at the end. */
  rssMiB: { quarter: number; half: number; end: number };
  /** Large bodies that were refused before they were sent to the end, so that no answer was seen. */
  cut: number;
  breaches: string[];
}

/** From this many requests on it is judged whether memory stays flat. */
const JUDGED_FROM = 10_000;
/** What the server may hold more at the end than after a quarter of the requests. */
const MOST_RISE_MIB = 32;

/** Sends broken and unbroken requests to every operation that `/openapi.json` names. */
export async function fuzzTrial(options: FuzzTrial): Promise<FuzzReport> {
  const dataDir = await mkdtemp(join(tmpdir(), 'placard-fuzz-'));
  const cloud = await startCloudProcess({
    dataDir,
    port: await freePort(),
    adminKey: makeAdminKey(),
    args: ['--allow-address', '127.0.0.1/32'],
  });
  const receiver = await openReceiver();
  const client = createClient({ url: cloud.url, timeoutMs: 60_000 });
  const chance = createChance(options.seed);
  try {
    const operations = await readOperations(client);
    const ring = createKeyRing({ client, adminKey: cloud.adminKey });
    const pool = await createPool({ client, ring, receiver: receiver.url });
    const good = new Set<string>();
    const samples: number[] = [];
    const breaches: string[] = [];
    let cut = 0;
    const every = Math.max(50, Math.floor(options.requests / 80));
    for (let i = 0; i < options.requests; i++) {
      if (i % every === 0) {
        const rss = Math.round((cloud.rssBytes() ?? 0) / 2 ** 20);
        samples.push(rss);
        options.onProgress?.(i, rss);
      }
      const op = chance.pick(operations);
      const draft = mutate(await draftOf(op, chance, pool), chance);
      const call = callOf(draft, op.open ? `127.0.0.${2 + (i % 250)}` : undefined);
      try {
        const answer = await send(client, call, draft);
        if (answer === null) {
          if (draft.done.length === 0) good.add(op.id);
        } else {
          judge(op, draft, call, answer);
          if (answer.code === null) good.add(op.id);
          await pool.learn(draft.method, call.path, answer);
        }
        must(!cloud.ended, 'the cloud ended', cloud.tail());
      } catch (error) {
        if (wasCut(error, call)) {
          cut++;
          continue;
        }
        const breach = new Breach(
          `request ${i} of seed ${options.seed}, ${op.id} [${draft.done.join(', ')}]: ${messageOf(error)}` +
            (error instanceof Breach ? '' : `\n  sent: ${shown(call)}`),
          { cause: error },
        );
        if (!options.collect || cloud.ended) throw breach;
        breaches.push(breach.message);
      }
    }
    const rssMiB = {
      quarter: leastAround(samples, 0.25),
      half: leastAround(samples, 0.5),
      end: leastAround(samples, 1),
    };
    if (options.requests >= JUDGED_FROM)
      must(
        rssMiB.end - rssMiB.quarter <= MOST_RISE_MIB,
        `the server went on growing, by more than ${MOST_RISE_MIB} MiB`,
        rssMiB,
      );
    const all = [...new Set(operations.map((op) => op.id))];
    return {
      seed: options.seed,
      requests: options.requests,
      operations: all.length,
      succeeded: good.size,
      neverSucceeded: all.filter((id) => !good.has(id)),
      byStatus: Object.fromEntries([...client.statuses].toSorted((a, b) => a[0] - b[0])),
      rssMiB,
      cut,
      breaches,
    };
  } finally {
    await client.close();
    await cloud.stop();
    await receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The least of the samples around that part of the run: a large body takes memory for a moment, a leak keeps it. */
function leastAround(samples: readonly number[], part: number): number {
  const near = Math.ceil(samples.length / 20);
  const at = Math.min(Math.floor(samples.length * part), samples.length - near);
  return Math.min(...samples.slice(Math.max(0, at - near), at + near));
}

async function draftOf(op: FuzzOperation, chance: Chance, pool: Pool): Promise<Draft> {
  const known = (name: string) => pool.known(name, chance);
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) => pool.pathId(op.path, name, chance));
  const query = op.query
    .filter(() => chance.once(3))
    .map(({ name, schema }): [string, string] => {
      const value = fromSchema(schema, chance, known, name);
      return [name, typeof value === 'string' ? value : JSON.stringify(value)];
    });
  const draft: Draft = {
    method: op.method,
    path,
    query,
    contentType: null,
    key: op.open ? undefined : op.device ? await pool.deviceToken() : await pool.adminKey(),
    headers: {},
    done: [],
  };
  const form = op.bodies.find((one) => one.contentType.startsWith('multipart/'));
  if (form) {
    const { body, contentType } = pool.form(chance);
    draft.raw = body;
    draft.contentType = contentType;
    return draft;
  }
  const json = op.bodies.find((one) => one.contentType.startsWith('application/json'));
  if (!json) return draft;
  draft.contentType = 'application/json';
  draft.json =
    json.example !== undefined && chance.once(2)
      ? pool.relive(structuredClone(json.example), chance)
      : fromSchema(json.schema, chance, known);
  return draft;
}

/** A server may refuse a large body, or a long address, without reading on. */
function wasCut(error: unknown, call: Call): boolean {
  const large = typeof call.body === 'string' || Buffer.isBuffer(call.body) ? call.body.length : 0;
  return (
    error instanceof Error &&
    /EPIPE|ECONNRESET|other side closed/.test(error.message) &&
    large + call.path.length > 16_000
  );
}

/** Null when there is nothing to judge: the answer to HEAD has no body. */
async function send(client: Client, call: Call, draft: Draft): Promise<Answer | null> {
  if (draft.method !== 'HEAD' && draft.method !== 'TRACE') {
    const plain = await client.raw(call);
    // What is not an envelope by design: bytes, pages, CSV. A 304 has no body.
    if (plain.status === 304 || (plain.status === 200 && !plain.headers['content-type']?.includes('json')))
      return null;
    return client.read(call, plain);
  }
  const { status } = await client.raw(call);
  must(status < 500, `a ${status} for ${call.method}`, shown(call));
  return null;
}

const NOT_JSON = Symbol('not JSON');
const AROUND = new Set(['ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED', 'UNAUTHORIZED', 'VALIDATION_ERROR']);

function judge(op: FuzzOperation, draft: Draft, call: Call, answer: Answer): void {
  const facts = `\n  sent: ${shown(call)}\n  came: ${answer.status} ${short(answer.text, 1_500)}`;
  const elsewhere = draft.done.some((one) => one === 'path' || one === 'method' || one === 'id');
  const documented = op.responses.get(answer.status);
  if (elsewhere) return;
  must(
    documented ?? (answer.code !== null && AROUND.has(answer.code) ? {} : null),
    `${op.id} does not document ${answer.status} ${answer.code ?? ''}${facts}`,
  );
  if (documented?.schema) {
    const read = compiled(documented.schema).safeParse(JSON.parse(answer.text));
    must(
      read.success,
      `the answer is not as ${op.id} documents it (${short(read.error?.message, 600)})${facts}`,
    );
  }
  if (answer.code !== null) return;
  const json = op.bodies.find((one) => one.contentType.startsWith('application/json'));
  if (json && call.body !== undefined && typeof call.body === 'string') {
    const value = parsed(call.body.replace(/^\ufeff/, '') || '{}');
    must(value !== NOT_JSON, `accepted a body that is not JSON${facts}`);
    const read = compiled(json.schema).safeParse(value);
    must(
      read.success,
      `accepted a body that the schema forbids (${short(read.error?.message, 600)})${facts}`,
    );
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}

const schemas = new WeakMap<object, z.ZodType>();
function compiled(schema: object): z.ZodType {
  let found = schemas.get(schema);
  if (!found) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    found = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    schemas.set(schema, found);
  }
  return found;
}
