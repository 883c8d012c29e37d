import compress from '@fastify/compress';
import multipart from '@fastify/multipart';
import { isForCustomers, MAX_FILE_BYTES } from '@placard/protocol/api';
import type { Operation } from '@placard/protocol/api';
import fastify from 'fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { errorCode } from '../domain/error-details.ts';
import type { EditTracing } from '../domain/edit-tracing.ts';
import type { Measurements } from '../domain/measurements.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import { ApiError, validationError } from '../domain/api-error.ts';
import type { DiskMonitor } from '../disk/disk-monitor.ts';
import type { Repositories } from '../database/cloud-database.ts';
import { nextRequestTurn } from '../event-loop/request-turn.ts';
import type { Authenticator } from './authenticate.ts';
import { addCors } from './cors.ts';
import { deprecationHeaders } from './deprecation.ts';
import { createDirectRequests } from './direct-requests.ts';
import { addBytesParser, addJsonParser, MAX_JSON_BYTES } from './body-parsers.ts';
import { createCommit, dryRunOf } from './commit-change.ts';
import type { ChangeCall, CommitDeps } from './commit-change.ts';
import { callerName, UNAUTHENTICATED } from './operation-route.ts';
import type { HandlerResult, Caller, Resource, Route, StoreAccess } from './operation-route.ts';
import { rejectSocket } from './reject-socket.ts';
import type { Connections } from './connections.ts';
import { sendApiError, toApiError } from './errors.ts';
import { contentOf, createIdempotency, toIdempotentRequest } from './idempotency.ts';
import type { Idempotency } from './idempotency.ts';
import { observeRequests } from './observe-requests.ts';
import { findConditionProblems, withEtag } from './resource-etag.ts';
import { addLingeringClose } from './lingering-close.ts';
import { parseRequest } from './parse-request.ts';
import { IGNORED_FIELDS_HEADER, passOverReadOnly, readOnlyFieldsOf } from './read-only-fields.ts';
import type { ReadOnlyFields } from './read-only-fields.ts';
import { firstHeaders, requestIdOf } from './response-headers.ts';
import { sendResult } from './send-result.ts';
import { refuseUnknownRoutes } from './unknown-routes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the request has been authenticated. */
    caller: Caller | null;
  }
}

/** Maximum size of the body of a request without authentication. */
const MAX_PUBLIC_BYTES = 131_072;
/** Shorter responses are sent as they are: they fit into a packet anyway. */
const COMPRESS_FROM_BYTES = 1_024;

export interface ServerDeps extends CommitDeps {
  clock: Clock;
  authenticator: Authenticator;
  connections: Connections;
  /** Time limit for the request headers. */
  headersTimeoutMs: number;
  disk: Pick<DiskMonitor, 'requireSpaceFor' | 'markFull'>;
  log: Logger;
  measurements: Pick<Measurements, 'requestFinished'>;
  tracing: Pick<EditTracing, 'request'>;
  /** Asked before each operation of a person who is bound to stores, and again in its transaction. */
  requireStoreAccess: StoreAccess;
  routes: readonly Route[];
  corsOrigins: readonly string[];
  trustProxies: readonly string[];
  /** Where clients reach this cloud, without a slash at the end. */
  publicUrl: () => string;
  /** True when the public URL uses https. */
  isHttps: () => boolean;
  /** Clients should open their next connection to another node. */
  isDraining: () => boolean;
  /** Adds routes outside the JSON API: pages, files, probes. */
  addOtherRoutes(app: FastifyInstance): void;
}

/** The HTTP server: every operation goes through the same checks and the same response envelope. */
export function createHttpServer(deps: ServerDeps): FastifyInstance {
  const { log } = deps;
  const app = fastify({
    logger: false,
    bodyLimit: MAX_JSON_BYTES,
    trustProxy: deps.trustProxies.length > 0 ? [...deps.trustProxies] : false,
    forceCloseConnections: true,
    // A request without Host gets our error envelope instead of the bare response of Node.
    http: {
      requireHostHeader: false,
      headersTimeout: deps.headersTimeoutMs,
      connectionsCheckingInterval: Math.min(5_000, Math.ceil(deps.headersTimeoutMs / 2)),
    },
    // Routes are validated by zod. The framework's compilers, which it would load now, are a tenth of the whole program.
    schemaController: { compilersFactory: { buildValidator: rejectSchema, buildSerializer: rejectSchema } },
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
    genReqId: requestIdOf,
    frameworkErrors: (error, request, reply) => {
      void reply.header('x-request-id', request.id);
      void sendApiError(toApiError(error, request, log), reply, deps.publicUrl());
    },
    clientErrorHandler: (error, socket) => {
      const message =
        errorCode(error) === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? 'the request headers did not arrive in time'
          : 'the request is not valid HTTP';
      rejectSocket(socket, validationError([{ path: '', message }]), deps);
    },
  });

  let isClosing = false;
  app.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  const answerDirectly = createDirectRequests({ ...deps, isClosing: () => isClosing });
  deps.connections.watch(app.server, (request, response) =>
    answerDirectly(request, response, () => app.routing(request, response)),
  );
  app.decorateRequest('caller', null);
  addJsonParser(app, deps.connections);
  // Hooks have callbacks: one that returns a promise costs every request a microtask.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(firstHeaders(request.id, { isHttps: deps.isHttps(), isDraining: deps.isDraining() }));
    done();
  });
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const encoding = request.headers['content-encoding'];
    const isEncoded = request.method !== 'GET' && encoding !== undefined && encoding !== 'identity';
    done(
      isEncoded
        ? new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send the body uncompressed, without a content-encoding.')
        : null,
    );
  });
  observeRequests(app, deps);
  addLingeringClose(app, deps.clock);
  addCors(app, deps.corsOrigins);
  app.setErrorHandler((error, request, reply) =>
    sendApiError(toApiError(error, request, log), reply, deps.publicUrl()),
  );
  refuseUnknownRoutes(app);

  deps.addOtherRoutes(app);
  const idempotency = createIdempotency();
  const [formRoutes, jsonRoutes] = partition(deps.routes, ({ operation }) => operation.form ?? false);
  const [bytesRoutes, envelopeRoutes] = partition(
    jsonRoutes,
    ({ operation }) => operation.bytes !== undefined,
  );
  const [customerRoutes, otherRoutes] = partition(envelopeRoutes, ({ operation }) =>
    isForCustomers(operation),
  );
  const resources = new Map(
    deps.routes.flatMap(({ operation, resource }) => (resource ? [[operation.path, resource]] : [])),
  );
  const readOnly = readOnlyFieldsOf(deps.routes.map(({ operation }) => operation));
  const add = (scope: FastifyInstance, routes: readonly Route[]) =>
    routes.forEach((each) => {
      const { id, path, bytes, changes = path } = each.operation;
      const found = {
        resource: bytes === undefined ? resources.get(changes) : undefined,
        readOnly: readOnly.get(id),
      };
      addRoute(scope, each, deps, idempotency, found);
    });
  void app.register(async (scope) => add(scope, otherRoutes));
  void app.register(async (scope) => {
    // For customers alone: strangers must not cause the work, and what players read is small.
    await scope.register(compress, { encodings: ['br', 'gzip'], threshold: COMPRESS_FROM_BYTES });
    add(scope, customerRoutes);
  });
  // Multipart is parsed only on upload routes.
  void app.register(async (scope) => {
    await scope.register(multipart, {
      throwFileSizeLimit: false,
      // One byte more than allowed, so that a file that is too large is detected.
      limits: { fileSize: MAX_FILE_BYTES + 1, files: 2, fields: 20, fieldSize: 65_536, headerPairs: 100 },
    });
    add(scope, formRoutes);
  });
  for (const each of bytesRoutes) {
    void app.register(async (scope) => {
      addBytesParser(scope, each.operation.bytes ?? '');
      add(scope, [each]);
    });
  }
  return app;
}

/** Without any it is refused at once. */
const hasCredentials = ({ headers }: FastifyRequest): boolean =>
  headers.authorization !== undefined || headers.cookie !== undefined;

/** The handler reads the body as it arrives, and watches for stalls. */
const readsStream = ({ form, bytes }: Operation): boolean => form === true || bytes !== undefined;

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function rejectSchema(): never {
  throw new Error('routes have no schemas of the framework');
}

function addRoute(
  app: FastifyInstance,
  { operation, handle, findMoreProblems }: Route,
  deps: ServerDeps,
  idempotency: Idempotency,
  { resource, readOnly }: { resource: Resource | undefined; readOnly: ReadOnlyFields | undefined },
): void {
  app.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operation: operation.id },
    ...(operation.access === 'Public' ? { bodyLimit: MAX_PUBLIC_BYTES } : {}),
    onRequest: async (request, reply) => {
      reply.headers(deprecationHeaders(operation, deps.publicUrl()));
      if (!readsStream(operation)) {
        deps.connections.startBodyDeadline(request.raw);
      }
      // Yield: otherwise a burst of API requests would block the event loop, and devices would wait for all of them. Before the
      // key is looked up, because all requests of a turn share what is known of keys (`database/credentials.ts`).
      if (isForCustomers(operation) && hasCredentials(request)) {
        await nextRequestTurn();
        if (request.raw.socket.destroyed) {
          // Nobody waits for the answer.
          reply.hijack();
          return;
        }
      }
      const caller = await deps.authenticator.authenticateRequest(operation, request, reply);
      request.caller = caller;
      const name = callerName(caller);
      if (name !== null) {
        deps.connections.markAuthenticated(request.raw.socket, name);
      }
    },
    handler: async (request, reply) => {
      const caller = request.caller ?? UNAUTHENTICATED;
      // Bodies that have arrived together take turns as well.
      if (caller.actor && request.body !== undefined) {
        await nextRequestTurn();
      }
      const nowMs = deps.clock.nowMs();
      const { params, query, body } = request;
      // Release the body: Fastify keeps the request until the response is read, which may be never.
      request.body = undefined;
      const sent = readOnly ? passOverReadOnly(body, readOnly) : { body, ignored: [] };
      const parts = parseRequest(
        { operation, findMoreProblems },
        { params, query, body: sent.body },
        resource && findConditionProblems(request),
      );
      const { stores } = caller.actor ?? {};
      const requireStores = async (repositories: Repositories): Promise<void> => {
        if (stores && operation.access !== 'Person') {
          await deps.requireStoreAccess(repositories, operation.id, { stores, ...parts });
        }
      };
      await requireStores(deps.database);
      const dryRun = dryRunOf(operation, parts.query);
      const idempotentRequest = dryRun ? null : toIdempotentRequest(operation, request, caller);
      const requestHash =
        idempotentRequest && !operation.form
          ? idempotency.hashOf(idempotentRequest, contentOf(operation, request, body))
          : null;

      const run = async (): Promise<HandlerResult<unknown>> => {
        if (idempotentRequest && requestHash !== null) {
          const storedResult = await idempotency.find(deps.database, idempotentRequest, requestHash, nowMs);
          if (storedResult) {
            return storedResult;
          }
        }
        const call: ChangeCall = {
          operation,
          caller,
          owner: callerName(caller),
          request,
          params: parts.params,
          nowMs,
          resource,
          requireAccess: requireStores,
          idempotent: idempotentRequest && { request: idempotentRequest, hash: requestHash },
        };
        const commit = createCommit(deps, idempotency, call, dryRun);
        return handle({ ...caller, ...parts, request, reply, nowMs, commit }).catch((error: unknown) => {
          if (storageFailureOf(error) === 'full' && operation.errors.includes('INSUFFICIENT_STORAGE')) {
            deps.disk.markFull();
            deps.disk.requireSpaceFor(0);
          }
          throw error;
        });
      };
      const traced =
        caller.actor && operation.method !== 'GET'
          ? () => deps.tracing.request(toTraced(operation, request), run)
          : run;
      const result = await (idempotentRequest
        ? idempotency.runExclusive(idempotentRequest, traced)
        : traced());
      request.isStream = 'isSent' in result;
      if (request.isStream) {
        deps.connections.markStream(request.raw.socket);
      }
      if (sent.ignored.length > 0) {
        void reply.header(IGNORED_FIELDS_HEADER, sent.ignored.join(', '));
      }
      const hasEtag = resource !== undefined || operation.otherStatuses.includes(304);
      const tagged = hasEtag && !dryRun ? withEtag(result, resource ?? {}, request) : result;
      return sendResult(tagged, operation, reply, deps.publicUrl());
    },
  });
}

const toTraced = ({ id, method, path }: Operation, { id: requestId, headers }: FastifyRequest) => ({
  operation: id,
  method,
  path,
  requestId,
  traceparent: headers['traceparent'],
});
