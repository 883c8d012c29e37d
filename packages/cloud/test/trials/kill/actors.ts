import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '@placard/protocol/api';
import type { Operation } from '@placard/protocol/api';
import { assert } from '../support/contract-violation.ts';
import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';
import type { HttpClient } from '../support/http-client.ts';
import { randomPng } from '../support/media.ts';
import { pairingStartBody } from '../support/paired-device.ts';
import { multipart } from '../support/multipart.ts';
import type { Ledger, LedgerNote, ResourceKind } from './ledger.ts';
import type { RetryingClient } from './retrying-client.ts';

export interface ActorContext {
  retryingClient: RetryingClient;
  client: HttpClient;
  random: SeededRandom;
  ledger: Ledger;
  /** Writes into the ledger. */
  note: (note: LedgerNote) => void;
  /** A counter for the whole trial. */
  next: () => number;
  /** A time before the start of the trial; samples and plays are after it. */
  sinceMs: number;
}

/** Resources of one actor before it deletes the oldest. */
const MAX_RESOURCES = 6;

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
  const { retryingClient, client, random, ledger, note } = context;
  const own: string[] = [];
  for (;;) {
    const name = `picture ${context.next()}`;
    const side = random.pick([10, 30, 60, 200]);
    const bytes = randomPng(side, side);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    note({ type: 'creating', kind: 'assets', name, sha256 });
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
    const { id } = operations.uploadContent.data.parse(response.data);
    note({ type: 'created', kind: 'assets', name, id });
    ledger.notifications.expected.add(`content.created ${id}`);
    own.push(name);
    if (own.length > MAX_RESOURCES) {
      await removeResource(context, operations.deleteContent, 'assets', own.shift()!);
    }
    await pause(random);
  }
}

/** Operations that delete a resource by its id. */
type RemovalOperation = Operation<typeof operations.deletePlaylist.params>;

async function removeResource(
  { retryingClient, ledger, note }: ActorContext,
  op: RemovalOperation,
  kind: ResourceKind,
  name: string,
): Promise<void> {
  note({ type: 'removing', kind, name });
  const response = await retryingClient.call(op, { params: { id: ledger[kind].get(name)!.id! } });
  // Asked again after a lost answer it is not there any more.
  assert(response.code === null || response.status === 404, `${op.id} was refused`, response.text);
  note({ type: 'removed', kind, name });
}

/** Creates playlists with items and schedules with rules, deploys them, and deletes old ones. */
export async function editor(context: ActorContext, device: string): Promise<never> {
  const { retryingClient, random, ledger, note } = context;
  const own: { playlist: string; schedule: string }[] = [];
  const asset = await baseAsset(context);
  for (;;) {
    const names = { playlist: `playlist ${context.next()}`, schedule: `schedule ${context.next()}` };
    const itemCount = 1 + random.below(8);
    note({ type: 'creating', kind: 'playlists', name: names.playlist, items: itemCount });
    const items = Array.from({ length: itemCount }, (_, i) => ({ content_id: asset, duration: i + 1 }));
    const made = await retryingClient.call(operations.createPlaylist, {
      body: { name: names.playlist, items },
    });
    assert(made.data, 'a playlist was refused', made.text);
    const playlist = made.data.id;
    note({ type: 'created', kind: 'playlists', name: names.playlist, id: playlist });
    ledger.notifications.expected.add(`playlist.created ${playlist}`);

    note({ type: 'deploying', device, playlist });
    const deployed = await retryingClient.call(operations.deployPlaylist, {
      params: { id: playlist },
      body: { targets: [{ type: 'device', id: device }] },
    });
    assert(deployed.data, 'a deployment was rejected', deployed.text);
    note({ type: 'deployed', device, playlist });
    ledger.notifications.expected.add(`playlist.deployed ${playlist}`);

    const rules = 1 + random.below(3);
    note({ type: 'creating', kind: 'schedules', name: names.schedule, rules, targets: 2 });
    const rule = { playlist_id: playlist, start_time: '09:00', end_time: '17:00', days: ['MON'] };
    const planned = await retryingClient.call(operations.createSchedule, {
      body: {
        name: names.schedule,
        rules: Array.from({ length: rules }, (_, i) => ({ ...rule, priority: i })),
        targets: [
          { type: 'device', id: device },
          { type: 'tag', value: 'kill' },
        ],
      },
    });
    assert(planned.data, 'a schedule was rejected', planned.text);
    const schedule = planned.data.id;
    note({ type: 'created', kind: 'schedules', name: names.schedule, id: schedule });
    ledger.notifications.expected.add(`schedule.changed ${schedule}`);
    own.push(names);
    if (own.length > MAX_RESOURCES) {
      const oldest = own.shift()!;
      await removeResource(context, operations.deleteSchedule, 'schedules', oldest.schedule);
      await removeResource(context, operations.deletePlaylist, 'playlists', oldest.playlist);
    }
    await pause(random);
  }
}

async function baseAsset({ client, retryingClient, note }: ActorContext): Promise<string> {
  const bytes = randomPng(20, 20);
  const name = 'base picture';
  const form = multipart({ name }, { fileName: 'x.png', contentType: 'image/png', bytes });
  const headers = { 'content-type': form.contentType, 'idempotency-key': randomUUID() };
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  note({ type: 'creating', kind: 'assets', name, sha256 });
  const response = await retryingClient.sendUntilAnswered((key) =>
    client.send({ method: 'POST', path: '/v1/content/upload', key, headers, body: form.body }),
  );
  const { id } = operations.uploadContent.data.parse(response.data);
  note({ type: 'created', kind: 'assets', name, id });
  return id;
}

/** A technician who pairs one device after the other. */
export async function technician(context: ActorContext): Promise<never> {
  const { retryingClient, random, ledger, note } = context;
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
    note({ type: 'creating', kind: 'devices', name });
    const paired = await retryingClient.call(operations.pairDevice, {
      body: { code: first.data.code, name, tags: ['kill'] },
    });
    assert(paired.data, 'a pairing was rejected', paired.text);
    const { id } = paired.data;
    note({ type: 'created', kind: 'devices', name, id });
    ledger.notifications.expected.add(`device.paired ${id}`);
    const poll = { params: { id: first.data.pairing_id }, body: { poll_token: first.data.poll_token }, from };
    const [one, two] = [
      await retryingClient.call(operations.pollPairing, poll),
      await retryingClient.call(operations.pollPairing, poll),
    ];
    assert(
      one.data && 'device_token' in one.data && one.data.device_id === id,
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
  const { retryingClient, random, note } = context;
  for (;;) {
    const sent = await retryingClient.call(operations.sendCommand, {
      params: { id: deviceId },
      body: { command: 'REFRESH', expires_in: 3_600 },
    });
    assert(sent.data, 'a command was rejected', sent.text);
    note({ type: 'commanded', id: sent.data.id });
    const name = `store ${context.next()}`;
    note({ type: 'creating', kind: 'stores', name });
    const made = await retryingClient.call(operations.createStore, { body: { name } });
    assert(made.data, 'a store was refused', made.text);
    note({ type: 'created', kind: 'stores', name, id: made.data.id });
    await sleep(50 + random.below(100));
  }
}
