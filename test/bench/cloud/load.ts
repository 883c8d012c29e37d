import { Client, Pool } from 'undici';
import type { Dispatcher } from 'undici';
import { cpuMicrosAtPace } from './pace.ts';
import { cpuMicros } from './servers.ts';

export interface BenchRequest {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  token?: string;
  body?: string;
  /** Of the file, as in the header `range`. */
  range?: string;
}

export interface LoadedServer {
  url: string;
  pid: number;
}

export interface LoadResult {
  requests: number;
  perSecond: number;
  /** CPU time of the server for each request, in microseconds, seen from outside. */
  cpuMicrosEach: number;
  /** Of the response times, in milliseconds. */
  p99Ms: number;
  /** Bytes of the last body. */
  bytes: number;
}

/** Resolves with the body of the answer. Throws at a refusal. */
async function send(client: Dispatcher, { token, body, range, ...request }: BenchRequest): Promise<string> {
  const response = await client.request({
    ...request,
    body: body ?? null,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(range === undefined ? {} : { range }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
  });
  const text = await response.body.text();
  if (response.statusCode >= 300) {
    throw new Error(`${request.method} ${request.path}: ${response.statusCode} ${text.slice(0, 300)}`);
  }
  return text;
}

/**
 * Sends requests over some connections for `ms`, or `count` of them, each as soon as the one before is answered; what opens
 * the connections is sent before and not measured. Throws at a refusal.
 */
export async function runLoad(
  server: LoadedServer,
  {
    connections,
    ms,
    count = Infinity,
    next,
  }: { connections: number; ms: number; count?: number; next: () => BenchRequest },
): Promise<LoadResult> {
  const clients = Array.from({ length: connections }, () => new Client(server.url));
  const times: number[] = [];
  let bytes = 0;
  let sent = 0;
  await Promise.all(clients.map((client) => send(client, next())));
  const startedMs = performance.now();
  const startedMicros = cpuMicros(server.pid);
  const endMs = startedMs + ms;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < endMs && sent < count) {
        sent += 1;
        const request = next();
        const beganMs = performance.now();
        const text = await send(client, request);
        times.push(performance.now() - beganMs);
        bytes = Buffer.byteLength(text);
      }
    }),
  );
  const tookMs = performance.now() - startedMs;
  const micros = cpuMicros(server.pid) - startedMicros;
  await Promise.all(clients.map((client) => client.close()));
  times.sort((a, b) => a - b);
  return {
    requests: times.length,
    perSecond: (times.length / tookMs) * 1000,
    cpuMicrosEach: micros / times.length,
    p99Ms: times[Math.floor(times.length * 0.99)] ?? Number.NaN,
    bytes,
  };
}

/**
 * Sends requests at this rate for `ms`, over some connections. Resolves with the CPU time of the server for each, in
 * microseconds. Throws at a refusal.
 */
export async function runPacedLoad(
  server: LoadedServer,
  {
    perSecond,
    connections,
    ms,
    next,
  }: { perSecond: number; connections: number; ms: number; next: () => BenchRequest },
): Promise<number> {
  const pool = new Pool(server.url, { connections });
  try {
    return await cpuMicrosAtPace(server.pid, { perSecond, ms }, async () => void (await send(pool, next())));
  } finally {
    await pool.close();
  }
}
