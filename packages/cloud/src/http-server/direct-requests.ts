import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { rateLimitHeaders } from './authenticate.ts';
import type { Authenticator, RecognizedDevice } from './authenticate.ts';
import type { Connections } from './connections.ts';
import { toApiError, toErrorResponse } from './errors.ts';
import { parseJson } from './json.ts';
import { observeFinished } from './observe-requests.ts';
import type { ObserverDeps } from './observe-requests.ts';
import { deviceCallerName } from './operation-route.ts';
import type { DirectHandler, Route } from './operation-route.ts';
import { parseDeviceBody } from './parse-request.ts';
import { readBody } from './read-body.ts';
import { firstHeaders, JSON_TYPE, requestIdOf } from './response-headers.ts';

/** A heartbeat has 500 bytes. */
const MAX_BYTES = 16_384;
const CONTENT_LENGTH = /^[1-9]\d{0,4}$/;
/** With one of these a request is left to the framework. */
const UNUSUAL_HEADERS = ['transfer-encoding', 'content-encoding', 'expect', 'origin'] as const;

export interface DirectRequestsDeps {
  routes: readonly Route[];
  authenticator: Pick<Authenticator, 'recognizeDevice'>;
  connections: Pick<Connections, 'startBodyDeadline' | 'recordBodyBytes' | 'markAuthenticated'>;
  clock: Pick<Clock, 'nowMs'>;
  log: Logger;
  measurements: ObserverDeps['measurements'];
  publicUrl: () => string;
  isHttps: () => boolean;
  isDraining: () => boolean;
  isClosing: () => boolean;
}

interface DirectRoute extends Route {
  handleDirectly: DirectHandler<Route['operation']>;
}

/**
 * Returns a request listener for the ordinary requests of devices to routes with `handleDirectly`: a small JSON body and
 * nothing special in the headers, from a device that was here before and is within its limit. Any other request goes to
 * `handOver` before anything of its body was read. The response is the same, byte for byte, also to a body that is not
 * valid.
 *
 * With the framework a heartbeat by HTTP takes a fifth more of the processor (measured on 2026-11-25).
 */
export function createDirectRequests(deps: DirectRequestsDeps) {
  const { authenticator, connections, clock, log } = deps;
  const routes = new Map(
    deps.routes.flatMap(({ handleDirectly, ...route }): [string, DirectRoute][] =>
      handleDirectly && !route.operation.deprecated
        ? [[route.operation.path, { ...route, handleDirectly }]]
        : [],
    ),
  );

  const answer = async (
    { operation, findMoreProblems, handleDirectly }: DirectRoute,
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
    { deviceId, rateLimit }: RecognizedDevice,
  ): Promise<void> => {
    let status: number = operation.status;
    let moreHeaders: Record<string, string> = {};
    let isRead = false;
    let payload: object;
    try {
      const bytes = await readBody(request, {
        maxBytes: MAX_BYTES,
        contentLength: Number(request.headers['content-length']),
        onBytes: (count) => connections.recordBodyBytes(request, count),
      });
      const json = parseJson(bytes, { removesNul: true });
      isRead = true;
      const nowMs = clock.nowMs();
      const body = parseDeviceBody({ operation, findMoreProblems }, json);
      const { data } = await handleDirectly({ deviceId, body, nowMs });
      payload = { success: true, data };
    } catch (cause) {
      const error = toApiError(cause, { id, raw: request, routeOptions: { bodyLimit: MAX_BYTES } }, log);
      const { status: errorStatus, headers, body } = toErrorResponse(error, deps.publicUrl());
      status = errorStatus;
      // As the framework does it.
      moreHeaders = { ...(isRead ? {} : { connection: 'close' }), ...headers };
      payload = body;
    }
    // The client has gone.
    if (response.destroyed) {
      return;
    }
    const text = JSON.stringify(payload);
    const headers = firstHeaders(id, { isHttps: deps.isHttps(), isDraining: deps.isDraining() });
    Object.assign(headers, rateLimitHeaders(rateLimit), moreHeaders);
    headers['content-type'] = JSON_TYPE;
    headers['content-length'] = Buffer.byteLength(text);
    response.writeHead(status, headers);
    response.end(text);
  };

  return (request: IncomingMessage, response: ServerResponse, handOver: () => void): void => {
    const route = request.method === 'POST' ? routes.get(request.url ?? '') : undefined;
    if (!route || deps.isDraining() || deps.isClosing() || !isOrdinary(request)) {
      handOver();
      return;
    }
    connections.startBodyDeadline(request);
    const admit = (device: RecognizedDevice | null): void => {
      if (!device) {
        handOver();
        return;
      }
      connections.markAuthenticated(request.socket, deviceCallerName(device.deviceId));
      const id = requestIdOf(request);
      const beganMs = performance.now();
      response.on('finish', () => {
        const { id: operation, method, path } = route.operation;
        const [status, seconds] = [response.statusCode, (performance.now() - beganMs) / 1000];
        observeFinished({ id, method, route: path, operation, status, seconds, isStream: false }, deps);
      });
      void answer(route, request, response, id, device);
    };
    const device = authenticator.recognizeDevice(request);
    if (device instanceof Promise) {
      // Whatever has failed, the framework asks again and says so.
      device.then(admit, handOver);
    } else {
      admit(device);
    }
  };
}

const isOrdinary = ({ headers }: IncomingMessage): boolean =>
  headers['content-type'] === 'application/json' &&
  CONTENT_LENGTH.test(headers['content-length'] ?? '') &&
  Number(headers['content-length']) <= MAX_BYTES &&
  headers.host !== undefined &&
  UNUSUAL_HEADERS.every((name) => headers[name] === undefined);
