import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { createSeededRandom } from '../../../../../test/support/seeded-random.ts';
import { editor, operator, technician, uploader } from '../kill/actors.ts';
import type { ActorContext } from '../kill/actors.ts';
import { heartbeatsByHttp, heartbeatsOverSocket, pairScreen, player } from '../kill/players.ts';
import { applyNote, createLedger } from '../kill/ledger.ts';
import type { LedgerNote } from '../kill/ledger.ts';
import { ClientClosedError, createRetryingClient } from '../kill/retrying-client.ts';
import { createApi } from '../support/api.ts';
import { createHttpClient } from '../support/http-client.ts';
import { createKeyRing } from '../support/key-ring.ts';
import { waitFor } from '../support/wait-for.ts';
import { freePort } from '../../../../../test/support/free-port.ts';

/**
 * Run as a separate process under `strace`: starts a cloud and its clients, and prints what the clients send and get
 * acknowledged to standard output, so that a recording has it in order with what the cloud did to its disk. The cloud is
 * stopped once and killed once on the way.
 */
const [dataDir = '', adminKey = '', responses = '100', durability = 'FULL'] = process.argv.slice(2);
/** What others do is synced within its commit, and what screens have sent before with it. */
const hasScreensOnly = durability === 'NO_LOG_SYNC';
const SCREENS = 10;
const HOUR_MS = 3_600_000;

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const client = createHttpClient({ url });
const ring = createKeyRing({ client, adminKey });
const api = createApi({ client, key: () => ring.take() });
const retryingClient = createRetryingClient({ api, ring });
const ledger = createLedger();
let counter = 0;
const context: ActorContext = {
  retryingClient,
  client,
  random: createSeededRandom(1),
  ledger,
  note(note: LedgerNote) {
    applyNote(ledger, note);
    writeSync(1, `ACK ${JSON.stringify(note)}\n`);
  },
  next: () => counter++,
  // Samples that are never rolled up here, so that most heartbeats share a transaction.
  sinceMs: Date.now() - HOUR_MS / 12,
};
// Samples that are rolled up; those that follow are late.
const earlier = { ...context, sinceMs: Date.now() - 3 * HOUR_MS };

let cloud = await startRecordedCloud();
const screens = [];
for (let number = 0; number < SCREENS; number++) {
  screens.push(await pairScreen(context, api, `player ${number}`));
}
const { deviceId } = screens[0]!;
const people = () => [
  uploader(context),
  editor(context, deviceId),
  technician(context),
  operator(context, deviceId),
];
for (const actor of [
  ...(hasScreensOnly ? [] : people()),
  ...screens.map((screen, index) =>
    player(
      index % 4 === 0 ? earlier : context,
      screen,
      index < SCREENS / 2 ? heartbeatsByHttp : heartbeatsOverSocket,
    ),
  ),
]) {
  actor.catch((error: unknown) => {
    if (!(error instanceof ClientClosedError)) {
      writeSync(2, error instanceof Error ? (error.stack ?? error.message) : String(error));
      process.exit(1);
    }
  });
}
await runLoad();
// A cloud that is stopping refuses requests, which these clients take for a fault.
await waitFor('the last responses', () => retryingClient.waitingCount === 0);
await end('SIGTERM');
cloud = await startRecordedCloud();
await runLoad();
await end('SIGKILL');
cloud = await startRecordedCloud();
await runLoad();
await end('SIGKILL');
process.exit(0);

/** Until there were enough responses, each of the clients had some, and samples were rolled up. */
async function runLoad(): Promise<void> {
  const until = retryingClient.responseCount + Number(responses);
  retryingClient.resume();
  const wasServed = () => retryingClient.responseCount >= until && hasEach() && hasBuckets();
  await waitFor('the load was served', wasServed, 300_000);
  retryingClient.pause();
}

function hasEach(): boolean {
  const kinds = hasScreensOnly
    ? []
    : (['assets', 'playlists', 'schedules', 'devices', 'stores', 'commands'] as const);
  return kinds.every((kind) => ledger[kind].size > 0) && ledger.socketHeartbeats.acknowledged > 0;
}

function hasBuckets(): boolean {
  const database = new Sqlite(join(dataDir, 'cloud.sqlite'), { readonly: true });
  const row = database.prepare('select 1 from heartbeat_buckets limit 1').get();
  database.close();
  return row !== undefined;
}

async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  cloud.kill(signal);
  await once(cloud, 'exit');
}

async function startRecordedCloud(): Promise<ChildProcess> {
  const program = join(import.meta.dirname, 'recorded-cloud.ts');
  const child = spawn(process.execPath, [program, dataDir, String(port), adminKey, durability], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await waitFor('the cloud is ready', async () => {
    const response = await fetch(`${url}/readyz`).catch(() => null);
    await response?.body?.cancel();
    return response?.ok ?? false;
  });
  return child;
}
