import { z } from 'zod';
import { ContractViolation, assert, truncate } from '../support/contract-violation.ts';
import { createSeededRandom } from '../../../../../test/support/seeded-random.ts';
import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';
import { describeRequest } from '../support/http-client.ts';
import type { ApiResponse, HttpRequest, HttpClient } from '../support/http-client.ts';
import { errorMessage } from '../support/json.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { createResourcePool } from './resource-pool.ts';
import type { ResourcePool } from './resource-pool.ts';
import { toHttpRequest, mutate } from './mutate.ts';
import type { FuzzRequest } from './mutate.ts';
import { readOperations } from './openapi-operations.ts';
import type { FuzzOperation } from './openapi-operations.ts';
import { fuzzSockets } from './socket-fuzz.ts';
import type { SocketFuzzReport } from './socket-fuzz.ts';
import { fromSchema } from './values.ts';
import { startTrialCloud } from '../support/trial-cloud.ts';

export interface FuzzTrialOptions {
  requests: number;
  seed: number;
  /** Continue after a violation and report all; otherwise the first one rejects. */
  collect?: boolean;
  onProgress?: (sent: number, rssMiB: number) => void;
}

export interface FuzzReport {
  seed: number;
  requests: number;
  operations: number;
  /** Operations that returned 2xx at least once. */
  succeeded: number;
  neverSucceeded: string[];
  byStatus: Record<string, number>;
  /** Resident memory of the server (MiB) after a quarter of the requests (code is loaded and compiled), half, and all. */
  rssMiB: { quarter: number; half: number; end: number };
  /** Large bodies rejected before they were completely sent, so that no response was received. */
  connectionResets: number;
  violations: string[];
  sockets: SocketFuzzReport;
}

/** Minimum number of requests for the check of memory growth. */
const MEMORY_CHECKED_FROM_REQUESTS = 10_000;
/** Allowed memory growth from a quarter of the requests to the end. */
const MAX_MEMORY_GROWTH_MIB = 32;

/** Sends valid and malformed requests to every operation in `/openapi.json`, and messages over sockets of devices. */
export async function fuzzTrial(options: FuzzTrialOptions): Promise<FuzzReport> {
  const { api, cloud, client, ring, close } = await startTrialCloud({
    args: ['--allow-address', '127.0.0.1/32'],
  });
  const receiver = await startWebhookReceiver();
  const random = createSeededRandom(options.seed);
  try {
    const operations = await readOperations(client);
    const pool = await createResourcePool({ client, ring, receiver: receiver.url });
    const succeededIds = new Set<string>();
    const samples: number[] = [];
    const violations: string[] = [];
    let connectionResets = 0;
    const every = Math.max(50, Math.floor(options.requests / 80));
    for (let i = 0; i < options.requests; i++) {
      if (i % every === 0) {
        const rss = Math.round((cloud.rssBytes() ?? 0) / 2 ** 20);
        samples.push(rss);
        options.onProgress?.(i, rss);
      }
      const op = random.pick(operations);
      const request = mutate(await buildRequest(op, random, pool), random);
      const call = toHttpRequest(request, op.isPublic ? `127.0.0.${2 + (i % 250)}` : undefined);
      try {
        const response = await send(client, call, request);
        if (response === null) {
          if (request.mutations.length === 0) {
            succeededIds.add(op.id);
          }
        } else {
          checkResponse(op, request, call, response);
          if (response.code === null) {
            succeededIds.add(op.id);
          }
          await pool.learnFrom(request.method, call.path, response);
        }
        assert(!cloud.hasEnded, 'the cloud ended', cloud.recentOutput());
      } catch (error) {
        if (wasConnectionReset(error, call)) {
          connectionResets++;
          continue;
        }
        const violation = new ContractViolation(
          `request ${i} of seed ${options.seed}, ${op.id} [${request.mutations.join(', ')}]: ${errorMessage(error)}` +
            (error instanceof ContractViolation ? '' : `\n  sent: ${describeRequest(call)}`),
          { cause: error },
        );
        if (!options.collect || cloud.hasEnded) {
          throw violation;
        }
        violations.push(violation.message);
      }
    }
    const rssMiB = {
      quarter: minimumAround(samples, 0.25),
      half: minimumAround(samples, 0.5),
      end: minimumAround(samples, 1),
    };
    if (options.requests >= MEMORY_CHECKED_FROM_REQUESTS) {
      assert(
        rssMiB.end - rssMiB.quarter <= MAX_MEMORY_GROWTH_MIB,
        `the memory of the server grew by more than ${MAX_MEMORY_GROWTH_MIB} MiB`,
        rssMiB,
      );
    }
    const sockets = await fuzzSockets({ api, random }, Math.ceil(options.requests / 5));
    assert(!cloud.hasEnded, 'the cloud ended', cloud.recentOutput());
    const all = [...new Set(operations.map((op) => op.id))];
    return {
      seed: options.seed,
      requests: options.requests,
      operations: all.length,
      succeeded: succeededIds.size,
      neverSucceeded: all.filter((id) => !succeededIds.has(id)),
      byStatus: Object.fromEntries([...client.statusCounts].toSorted((a, b) => a[0] - b[0])),
      rssMiB,
      connectionResets,
      violations,
      sockets,
    };
  } finally {
    await close();
    await receiver.close();
  }
}

/** The minimum of the samples around that part of the run: large bodies take memory briefly, a leak keeps it. */
function minimumAround(samples: readonly number[], part: number): number {
  const near = Math.ceil(samples.length / 20);
  const at = Math.min(Math.floor(samples.length * part), samples.length - near);
  return Math.min(...samples.slice(Math.max(0, at - near), at + near));
}

async function buildRequest(
  op: FuzzOperation,
  random: SeededRandom,
  pool: ResourcePool,
): Promise<FuzzRequest> {
  const lookUp = (name: string) => pool.valueFor(name, random);
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) => pool.pathParameter(op.path, name, random));
  const query = op.query
    .filter(() => random.oneIn(3))
    .map(({ name, schema }): [string, string] => {
      const value = fromSchema(schema, random, lookUp, name);
      return [name, typeof value === 'string' ? value : JSON.stringify(value)];
    });
  const request: FuzzRequest = {
    method: op.method,
    path,
    query,
    contentType: null,
    key: op.isPublic ? undefined : op.needsDeviceToken ? await pool.deviceToken() : await pool.adminKey(),
    headers: {},
    mutations: [],
  };
  const form = op.bodies.find((one) => one.contentType.startsWith('multipart/'));
  if (form) {
    const { body, contentType } = pool.buildUpload(random);
    request.raw = body;
    request.contentType = contentType;
    return request;
  }
  const json = op.bodies.find((one) => one.contentType.startsWith('application/json'));
  if (!json) {
    return request;
  }
  request.contentType = 'application/json';
  request.json =
    json.example !== undefined && random.oneIn(2)
      ? pool.withLiveIds(structuredClone(json.example), random)
      : fromSchema(json.schema, random, lookUp);
  return request;
}

/** A server may reject a large body or a long URL without reading it completely. */
function wasConnectionReset(error: unknown, call: HttpRequest): boolean {
  const large = typeof call.body === 'string' || Buffer.isBuffer(call.body) ? call.body.length : 0;
  return (
    error instanceof Error &&
    /EPIPE|ECONNRESET|other side closed/.test(error.message) &&
    large + call.path.length > 16_000
  );
}

/** Null when there is nothing to validate, such as the response to HEAD. */
async function send(
  client: HttpClient,
  call: HttpRequest,
  request: FuzzRequest,
): Promise<ApiResponse | null> {
  if (request.method !== 'HEAD' && request.method !== 'TRACE') {
    const plain = await client.sendRaw(call);
    // Responses without the envelope by design: files, pages, CSV. Neither 304 nor 204 (OPTIONS of uploads) has a body.
    const hasNoBody = plain.status === 304 || (plain.status === 204 && plain.bytes.length === 0);
    if (hasNoBody || (plain.status === 200 && !plain.headers['content-type']?.includes('json'))) {
      return null;
    }
    return client.parseResponse(call, plain);
  }
  const { status } = await client.sendRaw(call);
  assert(status < 500, `a ${status} for ${call.method}`, describeRequest(call));
  return null;
}

const NOT_JSON = Symbol('not JSON');
const GENERIC_ERROR_CODES = new Set([
  'ROUTE_NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'UNAUTHORIZED',
  'VALIDATION_ERROR',
]);

function checkResponse(
  op: FuzzOperation,
  request: FuzzRequest,
  call: HttpRequest,
  response: ApiResponse,
): void {
  const details = `\n  sent: ${describeRequest(call)}\n  received: ${response.status} ${truncate(response.text, 1_500)}`;
  const targetsOtherRoute = request.mutations.some(
    (one) => one === 'path' || one === 'method' || one === 'id',
  );
  const documented = op.responses.get(response.status);
  if (targetsOtherRoute) {
    return;
  }
  assert(
    documented ?? (response.code !== null && GENERIC_ERROR_CODES.has(response.code) ? {} : null),
    `${op.id} does not document ${response.status} ${response.code ?? ''}${details}`,
  );
  if (documented?.schema) {
    const read = compileSchema(documented.schema).safeParse(JSON.parse(response.text));
    assert(
      read.success,
      `the response does not match the documentation of ${op.id} (${truncate(read.error?.message, 600)})${details}`,
    );
  }
  if (response.code !== null) {
    return;
  }
  const json = op.bodies.find((one) => one.contentType.startsWith('application/json'));
  if (json && call.body !== undefined && typeof call.body === 'string') {
    const value = parseJson(call.body.replace(/^\ufeff/, '') || '{}');
    assert(value !== NOT_JSON, `accepted a body that is not JSON${details}`);
    const read = compileSchema(json.schema).safeParse(value);
    assert(
      read.success,
      `accepted a body that the schema forbids (${truncate(read.error?.message, 600)})${details}`,
    );
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}

const noneOf = z.object({ type: z.literal('string'), not: z.object({ enum: z.array(z.string()) }) });

/** `z.fromJSONSchema` knows no `not`: a string that is none of some is one that a pattern allows. */
function withoutNot(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    const found = noneOf.safeParse(value).data;
    return found
      ? {
          type: 'string',
          pattern: `^(?!(?:${found.not.enum.map((each) => each.replaceAll('.', String.raw`\.`)).join('|')})$)`,
        }
      : value;
  });
}

const schemas = new WeakMap<object, z.ZodType>();
function compileSchema(schema: object): z.ZodType {
  let found = schemas.get(schema);
  if (!found) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    found = z.fromJSONSchema(withoutNot(schema) as Parameters<typeof z.fromJSONSchema>[0]);
    schemas.set(schema, found);
  }
  return found;
}
