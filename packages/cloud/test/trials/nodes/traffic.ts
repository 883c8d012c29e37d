import type { ProxiedRequest, ProxiedSocket } from '../support/nodes/round-robin-proxy.ts';

/** What happened to the requests that began in a time. */
export interface TrafficWindow {
  /** By `performance.now()`; null: it goes on. */
  toMs: number | null;
  readonly fromMs: number;
  /** Requests to this node are not counted, because it was killed; null: all are. */
  readonly exceptNode: number | null;
  requests: number;
  /** Of those that are no uploads. */
  slowest: Pick<ProxiedRequest, 'method' | 'path' | 'ms'> | null;
  /** Uploads take longer, because a process looks at each file. */
  slowestUploadMs: number;
  /** Answers 503 with `Retry-After`. */
  unavailable: number;
  /** Requests without an answer, and answers of 500 or more that are not such. By kind. */
  failures: Record<string, number>;
}

/** Watches what goes through the proxy. */
export interface Traffic {
  onRequest(request: ProxiedRequest): void;
  onSocket(socket: ProxiedSocket): void;
  /** Opens a window from now on; it ends when its `toMs` is set. */
  watch(exceptNode: number | null): TrafficWindow;
  /** Resolves with the milliseconds until all but this many of these clients have a socket again; null after the time. */
  untilBack(clients: Iterable<string>, allowed: number, withinMs: number): Promise<number | null>;
}

export function createTraffic(): Traffic {
  const windows: TrafficWindow[] = [];
  const socketListeners = new Set<(authorization: string) => void>();
  return {
    onRequest(request) {
      const { startedMs, node } = request;
      for (const window of windows) {
        const isWithin = startedMs >= window.fromMs && (window.toMs === null || startedMs <= window.toMs);
        if (isWithin && node !== window.exceptNode) {
          record(window, request);
        }
      }
    },
    onSocket: ({ authorization }) => socketListeners.forEach((listener) => listener(authorization)),
    watch(exceptNode) {
      const window: TrafficWindow = {
        fromMs: performance.now(),
        toMs: null,
        exceptNode,
        requests: 0,
        slowest: null,
        slowestUploadMs: 0,
        unavailable: 0,
        failures: {},
      };
      windows.push(window);
      return window;
    },
    async untilBack(clients, allowed, withinMs) {
      const missing = new Set(clients);
      const startedMs = performance.now();
      return new Promise((resolve) => {
        const finish = (ms: number | null) => {
          socketListeners.delete(listener);
          clearTimeout(timer);
          resolve(ms);
        };
        const timer = setTimeout(() => finish(null), withinMs);
        const listener = (authorization: string) => {
          missing.delete(authorization);
          if (missing.size <= allowed) {
            finish(performance.now() - startedMs);
          }
        };
        socketListeners.add(listener);
        if (missing.size <= allowed) {
          finish(0);
        }
      });
    },
  };
}

function record(window: TrafficWindow, { method, path, status, retryAfter, ms }: ProxiedRequest): void {
  window.requests += 1;
  if (path.startsWith('/v1/content/upload')) {
    window.slowestUploadMs = Math.max(window.slowestUploadMs, ms);
  } else if (ms > (window.slowest?.ms ?? 0)) {
    window.slowest = { method, path, ms };
  }
  if (status === 503 && retryAfter !== null) {
    window.unavailable += 1;
  } else if (status === null || status >= 500) {
    const kind = `${method} ${path.replace(/\?.*/, '')} ${status ?? 'without an answer'}`;
    window.failures[kind] = (window.failures[kind] ?? 0) + 1;
  }
}
