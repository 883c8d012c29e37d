import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '@placard/protocol/api';
import { assert } from '../support/contract-violation.ts';
import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';
import type { HttpClient } from '../support/http-client.ts';
import { randomPng } from '../support/media.ts';
import { buildPlay, buildSample, pairingStartBody, buildReportedState } from '../support/paired-device.ts';
import { multipart } from '../support/multipart.ts';
import type { LedgerEntry, Ledger, DeviceLedger } from './ledger.ts';
import type { RetryingClient } from './retrying-client.ts';

export interface ActorContext {
  retryingClient: RetryingClient;
  client: HttpClient;
  random: SeededRandom;
  ledger: Ledger;
  /** A counter for the whole trial. */
  next(): number;
  /** A time before the start of the trial; samples and plays are after it. */
  sinceMs: number;
}

/** Resources of one actor before it deletes the oldest. */
const MAX_RESOURCES = 6;

const newEntry = (): LedgerEntry => ({ id: null, removal: 'no' });
const pause = (random: SeededRandom) => sleep(random.below(25));

/** Sends bytes slowly, so that a crash happens in the middle. */
async function* streamSlowly(bytes: Buffer, random: SeededRandom): AsyncGenerator<Buffer> {
  const step = Math.max(1_000, Math.floor(bytes.length / (1 + random.below(6))));
  for (let at = 0; at < bytes.length; at += step) {
    yield bytes.subarray(at, at + step);
    await sleep(random.below(4));
  }
}

/** Uploads images and deletes old ones. */
export async function uploader(context: ActorContext): Promise<never> {
  const { retryingClient, client, random, ledger } = context;
  const own: string[] = [];
  for (;;) {
    const name = `picture ${context.next()}`;
    const side = random.pick([10, 30, 60, 200]);
    const bytes = randomPng(side, side);
    const entry = { ...newEntry(), sha256: createHash('sha256').update(bytes).digest('hex') };
    ledger.assets.set(name, entry);
    const form = multipart({ name }, { fileName: 'x.png', contentType: 'image/png', bytes });
    const headers = { 'content-type': form.contentType, 'idempotency-key': randomUUID() };
    const response = await retryingClient.sendUntilAnswered((key) =>
      client.send({
        method: 'POST',
        path: '/v1/content/upload',
        key,
        headers,
        body: random.oneIn(2) ? form.body : streamSlowly(form.body, random),
      }),
    );
    assert(response.status === 201, 'an upload was rejected', response.text);
    entry.id = operations.uploadContent.data.parse(response.data).id;
    ledger.notifications.expected.add(`content.created ${entry.id}`);
    own.push(name);
    if (own.length > MAX_RESOURCES) {
      await removeResource(context, operations.deleteContent, ledger.assets.get(own.shift()!)!);
    }
    await pause(random);
  }
}

/** Delete operations with the same kind of response. */
type RemovalOperation = typeof operations.deletePlaylist | typeof operations.deleteContent;

async function removeResource(
  { retryingClient }: ActorContext,
  op: RemovalOperation,
  entry: LedgerEntry,
): Promise<void> {
  entry.removal = 'sent';
  const response = await retryingClient.call(op, { params: { id: entry.id! } });
  // Asked again after a lost answer it is not there any more.
  assert(response.code === null || response.status === 404, `${op.id} was refused`, response.text);
  entry.removal = 'gone';
}

/** Creates playlists with items and schedules with rules, deploys them, and deletes old ones. */
export async function editor(
  context: ActorContext,
  screen: { deviceId: string; ledger: DeviceLedger },
): Promise<never> {
  const { retryingClient, random, ledger } = context;
  const own: { playlist: string; schedule: string }[] = [];
  const asset = await baseAsset(context);
  for (;;) {
    const names = { playlist: `playlist ${context.next()}`, schedule: `schedule ${context.next()}` };
    const playlist = { ...newEntry(), items: 1 + random.below(8) };
    ledger.playlists.set(names.playlist, playlist);
    const items = Array.from({ length: playlist.items }, (_, i) => ({ content_id: asset, duration: i + 1 }));
    const made = await retryingClient.call(operations.createPlaylist, {
      body: { name: names.playlist, items },
    });
    assert(made.data, 'a playlist was refused', made.text);
    playlist.id = made.data.id;
    ledger.notifications.expected.add(`playlist.created ${playlist.id}`);

    screen.ledger.deployed.sent = playlist.id;
    const deployed = await retryingClient.call(operations.deployPlaylist, {
      params: { id: playlist.id },
      body: { targets: [{ type: 'device', id: screen.deviceId }] },
    });
    assert(deployed.data, 'a deployment was rejected', deployed.text);
    screen.ledger.deployed = { acknowledged: playlist.id, sent: null };
    ledger.notifications.expected.add(`playlist.deployed ${playlist.id}`);

    const schedule = { ...newEntry(), rules: 1 + random.below(3), targets: 2 };
    ledger.schedules.set(names.schedule, schedule);
    const rule = { playlist_id: playlist.id, start_time: '09:00', end_time: '17:00', days: ['MON'] };
    const planned = await retryingClient.call(operations.createSchedule, {
      body: {
        name: names.schedule,
        rules: Array.from({ length: schedule.rules }, (_, i) => ({ ...rule, priority: i })),
        targets: [
          { type: 'device', id: screen.deviceId },
          { type: 'tag', value: 'kill' },
        ],
      },
    });
    assert(planned.data, 'a schedule was rejected', planned.text);
    schedule.id = planned.data.id;
    ledger.notifications.expected.add(`schedule.changed ${schedule.id}`);
    own.push(names);
    if (own.length > MAX_RESOURCES) {
      const oldest = own.shift()!;
      await removeResource(context, operations.deleteSchedule, ledger.schedules.get(oldest.schedule)!);
      await removeResource(context, operations.deletePlaylist, ledger.playlists.get(oldest.playlist)!);
    }
    await pause(random);
  }
}

async function baseAsset({ client, retryingClient, ledger }: ActorContext): Promise<string> {
  const bytes = randomPng(20, 20);
  const name = 'base picture';
  const form = multipart({ name }, { fileName: 'x.png', contentType: 'image/png', bytes });
  const headers = { 'content-type': form.contentType, 'idempotency-key': randomUUID() };
  const entry = { ...newEntry(), sha256: createHash('sha256').update(bytes).digest('hex') };
  ledger.assets.set(name, entry);
  const response = await retryingClient.sendUntilAnswered((key) =>
    client.send({ method: 'POST', path: '/v1/content/upload', key, headers, body: form.body }),
  );
  entry.id = operations.uploadContent.data.parse(response.data).id;
  return entry.id;
}

/** A player that sends samples and plays, and repeats them until they are acknowledged. */
export async function player(context: ActorContext, screen: DeviceLedger): Promise<never> {
  const { retryingClient, random } = context;
  for (;;) {
    const samples = Array.from({ length: 1 + random.below(4) }, () =>
      buildSample(context.sinceMs + context.next() * 11),
    );
    for (const one of samples) {
      screen.samples.sent.add(one.measured_at);
    }
    const heartbeat = await retryingClient.call(operations.sendHeartbeats, {
      key: screen.token,
      body: { samples, state: buildReportedState() },
    });
    await unlessRateLimited(heartbeat.code, async () => {
      assert(heartbeat.data, 'a heartbeat was rejected', heartbeat.text);
      for (const one of samples) {
        screen.samples.acknowledged.add(one.measured_at);
      }
      for (const { id } of heartbeat.data.commands) {
        await retryingClient.call(operations.reportCommand, {
          params: { id },
          key: screen.token,
          body: { status: random.pick(['acknowledged', 'succeeded', 'failed']) },
        });
      }
    });
    const plays = Array.from({ length: 1 + random.below(5) }, () =>
      buildPlay(
        `play_${String(context.next()).padStart(20, '0')}`,
        'asset_0000000000',
        context.sinceMs + random.below(60_000),
      ),
    );
    for (const one of plays) {
      screen.plays.sent.add(one.id);
    }
    const playsResponse = await retryingClient.call(operations.sendPlays, {
      key: screen.token,
      body: { plays },
    });
    await unlessRateLimited(playsResponse.code, async () => {
      assert(
        playsResponse.data && playsResponse.data.accepted.length === plays.length,
        'plays were rejected',
        playsResponse.text,
      );
      for (const one of plays) {
        screen.plays.acknowledged.add(one.id);
      }
    });
    await pause(random);
  }
}

async function unlessRateLimited(code: string | null, run: () => Promise<void>): Promise<void> {
  // A device may send 120 requests a minute; after a rejected request, wait and skip this round.
  if (code === 'RATE_LIMITED') {
    await sleep(500);
  } else {
    await run();
  }
}

/** A technician who pairs one device after the other. */
export async function technician(context: ActorContext): Promise<never> {
  const { retryingClient, random, ledger } = context;
  for (;;) {
    const name = `screen ${context.next()}`;
    const from = `127.0.2.${1 + random.below(250)}`;
    const start = () => retryingClient.call(operations.startPairing, { body: pairingStartBody(name), from });
    const first = await start();
    assert(first.data, 'a pairing start was rejected', first.text);
    const again = await start();
    assert(
      again.data?.pairing_id === first.data.pairing_id && again.data.code === first.data.code,
      'the same player got another session on a second request',
      { first: first.data, again: again.text },
    );
    const entry = newEntry();
    ledger.devices.set(name, entry);
    const paired = await retryingClient.call(operations.pairDevice, {
      body: { code: first.data.code, name, tags: ['kill'] },
    });
    assert(paired.data, 'a pairing was rejected', paired.text);
    entry.id = paired.data.id;
    ledger.notifications.expected.add(`device.paired ${entry.id}`);
    const poll = { params: { id: first.data.pairing_id }, body: { poll_token: first.data.poll_token }, from };
    const [one, two] = [
      await retryingClient.call(operations.pollPairing, poll),
      await retryingClient.call(operations.pollPairing, poll),
    ];
    assert(
      one.data && 'device_token' in one.data && one.data.device_id === entry.id,
      'a confirmed player gets no token',
      one.text,
    );
    assert(one.text === two.text, 'a token that was asked for twice is another', [one.text, two.text]);
    const manifest = await retryingClient.call(operations.getManifest, { key: one.data.device_token });
    assert(manifest.data, 'the token does not work', manifest.text);
    await sleep(40 + random.below(60));
  }
}

/** Sends commands and creates stores. */
export async function operator(context: ActorContext, deviceId: string): Promise<never> {
  const { retryingClient, random, ledger } = context;
  for (;;) {
    const sent = await retryingClient.call(operations.sendCommand, {
      params: { id: deviceId },
      body: { command: 'REFRESH', expires_in: 3_600 },
    });
    assert(sent.data, 'a command was rejected', sent.text);
    ledger.commands.add(sent.data.id);
    const name = `store ${context.next()}`;
    const entry = newEntry();
    ledger.stores.set(name, entry);
    const made = await retryingClient.call(operations.createStore, { body: { name } });
    assert(made.data, 'a store was refused', made.text);
    entry.id = made.data.id;
    await sleep(50 + random.below(100));
  }
}
