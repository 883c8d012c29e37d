/**
 * A thread that reads devices, with one connection that stays open and if wanted with a new one each time, and gives others
 * new names, until it is sent a message. It says when it has begun, and at the end the longest wait of each kind.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Client } from 'undici';
import { nullIfReset } from './connect-devices.ts';

/** What it is given. */
export interface Reads {
  url: string;
  /** Read in turn. */
  reads: readonly { id: string; key: string }[];
  /** Before anything counts. */
  readsBefore: number;
  /** Between two reads; 0: one follows the other. */
  pauseMs: number;
  /** It also reads with a new connection each time. */
  isReconnecting: boolean;
  /** Changed in turn, if there are any. */
  edits: readonly { id: string; key: string }[];
}

/** The longest waits in milliseconds; 0 for what is not done. */
export interface Waits {
  keptMs: number;
  newMs: number;
  editMs: number;
}

/** Between two edits: each key may make thirty a minute. */
const EDIT_PAUSE_MS = 250;
/** Before anything counts: the first answers of a process are slow. */
const NEW_CONNECTIONS_BEFORE = 100;
const CONNECT_WITHIN_MS = 60_000;

const port = parentPort!;
const { url, reads, readsBefore, pauseMs, isReconnecting, edits }: Reads = workerData;
let turn = 0;
let editTurn = 0;
const stopping = new AbortController();
port.once('message', () => stopping.abort());

async function timeRead(client: Client): Promise<number> {
  const { id, key } = reads[turn++ % reads.length]!;
  const beganMs = performance.now();
  const { statusCode, body } = await client.request({
    method: 'GET',
    path: `/v1/devices/${id}`,
    headers: { authorization: `Bearer ${key}` },
  });
  await body.dump();
  if (statusCode !== 200) {
    throw new Error(`reading a device: ${statusCode}`);
  }
  return performance.now() - beganMs;
}

/** With a second one when the first is reset. */
async function timeNewConnection(): Promise<number> {
  const beganMs = performance.now();
  for (;;) {
    const client = new Client(url, { connectTimeout: CONNECT_WITHIN_MS });
    const readMs = await timeRead(client).catch(nullIfReset);
    await client.destroy();
    if (readMs !== null) {
      return performance.now() - beganMs;
    }
  }
}

async function timeEdit(client: Client): Promise<number> {
  const { id, key } = edits[editTurn++ % edits.length]!;
  const beganMs = performance.now();
  const { statusCode, body } = await client.request({
    method: 'PATCH',
    path: `/v1/devices/${id}`,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: `Screen, name ${editTurn}` }),
  });
  await body.dump();
  if (statusCode !== 200) {
    throw new Error(`changing a device: ${statusCode}`);
  }
  return performance.now() - beganMs;
}

async function longestOf(time: () => Promise<number>, waitMs = pauseMs): Promise<number> {
  let longestMs = 0;
  while (!stopping.signal.aborted) {
    longestMs = Math.max(longestMs, await time());
    if (waitMs > 0) {
      await sleep(waitMs);
    }
  }
  return longestMs;
}

const kept = new Client(url);
const editing = new Client(url);
for (let each = 0; each < readsBefore; each++) {
  await timeRead(kept);
}
for (let each = 0; each < (isReconnecting ? NEW_CONNECTIONS_BEFORE : 0); each++) {
  await timeNewConnection();
}
port.postMessage('reading');
const [keptMs, newMs, editMs] = await Promise.all([
  longestOf(() => timeRead(kept)),
  isReconnecting ? longestOf(timeNewConnection) : 0,
  edits.length > 0 ? longestOf(() => timeEdit(editing), EDIT_PAUSE_MS) : 0,
]);
await Promise.all([kept.close(), editing.close()]);
port.postMessage({ keptMs, newMs, editMs } satisfies Waits);
