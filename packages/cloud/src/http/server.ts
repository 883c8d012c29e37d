import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import type { IdKind } from '@placard/protocol';
import { MAX_FILE_BYTES } from '@placard/protocol/api';
import type { Operation } from '@placard/protocol/api';
import fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { codeOf } from '../domain/error-facts.ts';
import { storageTroubleOf } from '../domain/storage-trouble.ts';
import { invalid, refusal } from '../domain/refusal.ts';
import type { DiskWatch } from '../store/disk-watch.ts';
import type { Store, Work } from '../store/store.ts';
import { turn } from '../store/turn.ts';
import { createRecorder } from './audit/record.ts';
import type { Recorder } from './audit/record.ts';
import { bearer } from './authenticate.ts';
import type { Authenticator } from './authenticate.ts';
import { addCors } from './cors.ts';
import { readBody } from './body.ts';
import type { Answer, Caller, Route } from './call.ts';
import { closeWith } from './close-after.ts';
import type { Connections } from './connections.ts';
import { sendRefusal, toRefusal } from './errors.ts';
import { createIdempotency } from './idempotency.ts';
import type { Attempt, Idempotency } from './idempotency.ts';
import { readJson, sortedJson } from './json.ts';
import { addLingering } from './linger.ts';
import { readRequest } from './read-request.ts';

/** Most bytes of a JSON body, */
export const MAX_JSON_BYTES = 1_048_576;
/** and of one from somebody who has not said who he is. */
const MAX_PUBLIC_BYTES = 131_072;

export interface ServerDeps {
  store: Store;
  clock: Clock;
  authenticator: Authenticator;
  connections: Connections;
  /** Milliseconds that the head of a request may take. */
  headMs: number;
  disk: Pick<DiskWatch, 'requireRoomFor' | 'noteFull'>;
  log: Logger;
  newId: (kind: IdKind) => string;
  routes: readonly Route[];
  corsOrigins: readonly string[];
  trustProxies: readonly string[];
  /** True when the outside reaches this server by https. */
  secure: () => boolean;
  /** Adds what is not part of the JSON interface: pages, files, probes. */
  extend(app: FastifyInstance): void;
}

/** The HTTP server: one envelope, one way in, for every operation. */
export function createHttpServer(deps: ServerDeps): FastifyInstance {
  const { log } = deps;
  const app = fastify({
    logger: false,
    bodyLimit: MAX_JSON_BYTES,
    trustProxy: deps.trustProxies.length > 0 ? [...deps.trustProxies] : false,
    forceCloseConnections: true,
    // Without a Host the answer is the envelope like any other, not the bare one of Node.
    http: {
      requireHostHeader: false,
      headersTimeout: deps.headMs,
      connectionsCheckingInterval: Math.min(5_000, Math.ceil(deps.headMs / 2)),
    },
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && /^[\w.-]{1,100}$/.test(given) ? given : randomUUID();
    },
    frameworkErrors: (error, request, reply) => {
      void reply.header('x-request-id', request.id);
      void sendRefusal(toRefusal(error, request, log), reply);
    },
    clientErrorHandler: (error, socket) => {
      const message =
        codeOf(error) === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? 'did not come in time'
          : 'is not an HTTP request that can be read';
      closeWith(socket, invalid([{ path: '', message }]), deps.clock);
    },
  });

  deps.connections.watch(app.server, (request, response) => app.routing(request, response));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    // Also where a form is expected, which is watched by itself.
    deps.connections.awaitBody(request.raw);
    const mostBytes = request.routeOptions.bodyLimit ?? MAX_JSON_BYTES;
    const announced = Number(request.headers['content-length']);
    const came = (bytes: number) => deps.connections.bodyCame(request.raw, bytes);
    return readJson(await readBody(payload, { mostBytes, announced, came }));
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      // Pages say what they need; nothing else is ever run or framed.
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      ...(deps.secure() ? { 'strict-transport-security': 'max-age=31536000' } : {}),
    });
  });
  app.addHook('preParsing', async (request) => {
    const encoding = request.headers['content-encoding'];
    if (request.method !== 'GET' && encoding !== undefined && encoding !== 'identity')
      throw refusal('UNSUPPORTED_MEDIA_TYPE', 'Send the body as it is, without a content-encoding.');
  });
  app.addHook('onResponse', async (request, reply) => {
    log.info({
      event: 'request.done',
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime),
    });
  });
  addLingering(app, deps.clock);
  addCors(app, deps.corsOrigins);
  app.setErrorHandler((error, request, reply) => sendRefusal(toRefusal(error, request, log), reply));
  const known: { method: string; pattern: RegExp }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat())
      if (each !== 'HEAD') known.push({ method: each, pattern: patternOf(url) });
  });
  app.addHook('onRequest', async (request) => {
    // Before its body is read: what is sent to nowhere has no size that is too large.
    if (request.is404) throw notFound(known, request);
  });

  deps.extend(app);
  const idempotency = createIdempotency();
  const recorded = createRecorder();
  const add = (scope: FastifyInstance, form: boolean) => {
    for (const each of deps.routes)
      if ((each.operation.form ?? false) === form) addRoute(scope, each, deps, idempotency, recorded);
  };
  void app.register(async (scope) => add(scope, false));
  // Forms are understood where a file is expected, and nowhere else.
  void app.register(async (scope) => {
    await scope.register(multipart, {
      throwFileSizeLimit: false,
      // One more than may be: so the file that is too large is seen to be so.
      limits: { fileSize: MAX_FILE_BYTES + 1, files: 2, fields: 20, fieldSize: 65_536, headerPairs: 100 },
    });
    add(scope, true);
  });
  return app;
}

function addRoute(
  app: FastifyInstance,
  { operation, handle, alsoWrong }: Route,
  deps: ServerDeps,
  idempotency: Idempotency,
  recorded: Recorder,
): void {
  const callers = new WeakMap<FastifyRequest, Caller>();
  app.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    ...(operation.access === 'Public' ? { bodyLimit: MAX_PUBLIC_BYTES } : {}),
    onRequest: async (request, reply) => {
      if (!operation.form) deps.connections.awaitBody(request.raw);
      const caller = await deps.authenticator.ofRequest(operation, request, reply);
      callers.set(request, caller);
      const name = nameOf(caller);
      if (name !== null) deps.connections.authenticated(request.raw.socket, name);
    },
    handler: async (request, reply) => {
      const caller = callers.get(request) ?? { key: null, deviceId: null };
      // What comes at the same time is else worked on as one piece, and screens wait for all of it.
      if (caller.key) await turn();
      const nowMs = deps.clock.nowMs();
      const { params, query, body } = request;
      // The framework keeps the request until its answer is taken, which may be never.
      request.body = undefined;
      const parts = readRequest({ operation, alsoWrong }, { params, query, body });
      const attempt = attemptOf(operation, request, caller);
      const requestHash = attempt && !operation.form ? idempotency.hashOf(attempt, sortedJson(body)) : null;

      const run = async (): Promise<Answer<unknown>> => {
        if (attempt && requestHash !== null) {
          const earlier = await idempotency.find(deps.store, attempt, requestHash, nowMs);
          if (earlier) return earlier;
        }
        const commit = (change: (work: Work) => Promise<Answer<unknown>>, fingerprint?: string) =>
          deps.store.transaction(
            async (work) => {
              const make = recorded(change, { operation, caller, request, nowMs, newId: deps.newId });
              if (!attempt) return make(work);
              const hash = requestHash ?? idempotency.hashOf(attempt, fingerprint ?? '');
              const earlier = await idempotency.find(work, attempt, hash, nowMs);
              if (earlier) return earlier;
              const answer = await make(work);
              if ('data' in answer)
                await idempotency.save(
                  work,
                  attempt,
                  hash,
                  answer.status ?? operation.status,
                  answer.data,
                  nowMs,
                );
              return answer;
            },
            { frees: operation.method === 'DELETE', owner: nameOf(caller) },
          );
        return handle({ ...caller, ...parts, request, reply, nowMs, commit }).catch((error: unknown) => {
          if (storageTroubleOf(error) === 'full' && operation.errors.includes('INSUFFICIENT_STORAGE')) {
            deps.disk.noteFull();
            deps.disk.requireRoomFor(0);
          }
          throw error;
        });
      };
      return send(await (attempt ? idempotency.alone(attempt, run) : run()), operation, reply);
    },
  });
}

const nameOf = ({ key, deviceId }: Caller): string | null =>
  key ? `key ${key.id}` : deviceId === null ? null : `device ${deviceId}`;

const JSON_TYPE = 'application/json; charset=utf-8';
/** Parts that are large are sent in slices of this size. */
const SLICE_BYTES = 65_536;
const [BEFORE_DATA, AFTER_DATA] = [Buffer.from('{"success":true,"data":'), Buffer.from('}')];

function send(answer: Answer<unknown>, operation: Operation, reply: FastifyReply): FastifyReply {
  void reply.headers(answer.headers ?? {});
  if ('bare' in answer) return reply.code(answer.bare).send();
  if ('stream' in answer) {
    // Left to the framework, all of it would be made, and thrown away.
    if (reply.request.method === 'HEAD') answer.stream.destroy();
    return reply.code(operation.status).send(answer.stream.destroyed ? Readable.from([]) : answer.stream);
  }
  if ('json' in answer) {
    const parts = [BEFORE_DATA, ...answer.json, AFTER_DATA];
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    void reply.code(operation.status).type(JSON_TYPE).header('content-length', bytes);
    return reply.send(bytes <= SLICE_BYTES ? Buffer.concat(parts) : Readable.from(inSlices(parts)));
  }
  const { data, meta } = answer;
  return reply
    .code(answer.status ?? operation.status)
    .type(JSON_TYPE)
    .send({ success: true, data, ...(meta ? { meta } : {}) });
}

/** Slices of the memory that is there: a copy would wait in memory for each client that takes its time. */
function* inSlices(parts: readonly Buffer[]): Generator<Buffer> {
  for (const part of parts)
    for (let start = 0; start < part.length; start += SLICE_BYTES)
      yield part.subarray(start, start + SLICE_BYTES);
}

function attemptOf(operation: Operation, request: FastifyRequest, caller: Caller): Attempt | null {
  const given = request.headers['idempotency-key'];
  if (operation.method !== 'POST' || !caller.key || typeof given !== 'string' || given === '') return null;
  if (given.length > 255)
    throw invalid([{ path: 'idempotency-key', message: 'must be at most 255 characters' }]);
  return {
    keyId: caller.key.id,
    secret: bearer(request),
    idempotencyKey: given,
    target: `${request.method} ${request.url}`,
  };
}

/** 404, or 405 when the address exists for another method. */
function notFound(known: readonly { method: string; pattern: RegExp }[], request: FastifyRequest) {
  const path = request.url.split('?')[0] ?? '';
  const methods = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  if (methods.length === 0 || methods.includes(request.method))
    return refusal('ROUTE_NOT_FOUND', `There is nothing at ${request.method} ${path.slice(0, 200)}.`);
  const allow = [...new Set(methods)].join(', ');
  return refusal('METHOD_NOT_ALLOWED', `${path.slice(0, 200)} knows ${allow} only.`, { headers: { allow } });
}

const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/:\w+/g, '[^/]+')}/?$`);
