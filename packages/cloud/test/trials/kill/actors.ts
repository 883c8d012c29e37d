import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '@placard/protocol/api';
import { must } from '../support/breach.ts';
import type { Chance } from '../support/chance.ts';
import type { Client } from '../support/client.ts';
import { noisePng } from '../support/media.ts';
import { play, sample, startBody, state } from '../support/player.ts';
import { multipart } from '../support/upload.ts';
import type { Entry, Ledger, ScreenLedger } from './ledger.ts';
import type { Line } from './line.ts';

export interface Stage {
  line: Line;
  client: Client;
  chance: Chance;
  ledger: Ledger;
  /** Counts up over the whole trial. */
  next(): number;
  /** Instant before the trial began; samples and plays happened after it. */
  sinceMs: number;
}

/** How many of its own things an actor lets stand before it removes the oldest. */
const KEEP = 6;

const fresh = (): Entry => ({ id: null, removal: 'no' });
const pause = (chance: Chance) => sleep(chance.int(25));

/** Bytes that arrive slowly, so that a crash meets them half way. */
async function* slowly(bytes: Buffer, chance: Chance): AsyncGenerator<Buffer> {
  const step = Math.max(1_000, Math.floor(bytes.length / (1 + chance.int(6))));
  for (let at = 0; at < bytes.length; at += step) {
    yield bytes.subarray(at, at + step);
    await sleep(chance.int(4));
  }
}

/** Uploads pictures, and removes old ones. */
export async function uploader(stage: Stage): Promise<never> {
  const { line, client, chance, ledger } = stage;
  const own: string[] = [];
  for (;;) {
    const name = `picture ${stage.next()}`;
    const side = chance.pick([10, 30, 60, 200]);
    const bytes = noisePng(side, side);
    const entry = { ...fresh(), sha256: createHash('sha256').update(bytes).digest('hex') };
    ledger.assets.set(name, entry);
    const form = multipart({ name }, { fileName: 'x.png', contentType: 'image/png', bytes });
    const headers = { 'content-type': form.contentType, 'idempotency-key': randomUUID() };
    const answer = await line.surely((key) =>
      client.send({
        method: 'POST',
        path: '/v1/content/upload',
        key,
        headers,
        body: chance.once(2) ? form.body : slowly(form.body, chance),
      }),
    );
    must(answer.status === 201, 'an upload was refused', answer.text);
    entry.id = operations.uploadContent.data.parse(answer.data).id;
    ledger.notices.due.add(`content.created ${entry.id}`);
    own.push(name);
    if (own.length > KEEP) await remove(stage, operations.deleteContent, ledger.assets.get(own.shift()!)!);
    await pause(chance);
  }
}

/** They answer alike. */
type Removal = typeof operations.deletePlaylist | typeof operations.deleteContent;

async function remove({ line }: Stage, op: Removal, entry: Entry): Promise<void> {
  entry.removal = 'sent';
  const answer = await line.call(op, { params: { id: entry.id! } });
  // Asked again after a lost answer it is not there any more.
  must(answer.code === null || answer.status === 404, `${op.id} was refused`, answer.text);
  entry.removal = 'gone';
}

/** Writes playlists with items and schedules with rules, deploys, and removes old ones. */
export async function editor(
  stage: Stage,
  screen: { deviceId: string; ledger: ScreenLedger },
): Promise<never> {
  const { line, chance, ledger } = stage;
  const own: { playlist: string; schedule: string }[] = [];
  const asset = await baseAsset(stage);
  for (;;) {
    const names = { playlist: `playlist ${stage.next()}`, schedule: `schedule ${stage.next()}` };
    const playlist = { ...fresh(), items: 1 + chance.int(8) };
    ledger.playlists.set(names.playlist, playlist);
    const items = Array.from({ length: playlist.items }, (_, i) => ({ content_id: asset, duration: i + 1 }));
    const made = await line.call(operations.createPlaylist, { body: { name: names.playlist, items } });
    must(made.data, 'a playlist was refused', made.text);
    playlist.id = made.data.id;
    ledger.notices.due.add(`playlist.created ${playlist.id}`);

    screen.ledger.deployed.sent = playlist.id;
    const deployed = await line.call(operations.deployPlaylist, {
      params: { id: playlist.id },
      body: { targets: [{ type: 'device', id: screen.deviceId }] },
    });
    must(deployed.data, 'a deployment was refused', deployed.text);
    screen.ledger.deployed = { told: playlist.id, sent: null };
    ledger.notices.due.add(`playlist.deployed ${playlist.id}`);

    const schedule = { ...fresh(), rules: 1 + chance.int(3), targets: 2 };
    ledger.schedules.set(names.schedule, schedule);
    const rule = { playlist_id: playlist.id, start_time: '09:00', end_time: '17:00', days: ['MON'] };
    const planned = await line.call(operations.createSchedule, {
      body: {
        name: names.schedule,
        rules: Array.from({ length: schedule.rules }, (_, i) => ({ ...rule, priority: i })),
        targets: [
          { type: 'device', id: screen.deviceId },
          { type: 'tag', value: 'kill' },
        ],
      },
    });
    must(planned.data, 'a schedule was refused', planned.text);
    schedule.id = planned.data.id;
    ledger.notices.due.add(`schedule.changed ${schedule.id}`);
    own.push(names);
    if (own.length > KEEP) {
      const oldest = own.shift()!;
      await remove(stage, operations.deleteSchedule, ledger.schedules.get(oldest.schedule)!);
      await remove(stage, operations.deletePlaylist, ledger.playlists.get(oldest.playlist)!);
    }
    await pause(chance);
  }
}

async function baseAsset({ client, line, ledger }: Stage): Promise<string> {
  const bytes = noisePng(20, 20);
  const name = 'base picture';
  const form = multipart({ name }, { fileName: 'x.png', contentType: 'image/png', bytes });
  const headers = { 'content-type': form.contentType, 'idempotency-key': randomUUID() };
  const entry = { ...fresh(), sha256: createHash('sha256').update(bytes).digest('hex') };
  ledger.assets.set(name, entry);
  const answer = await line.surely((key) =>
    client.send({ method: 'POST', path: '/v1/content/upload', key, headers, body: form.body }),
  );
  entry.id = operations.uploadContent.data.parse(answer.data).id;
  return entry.id;
}

/** A screen that sends what it measured and showed, again and again until it is told that it arrived. */
export async function player(stage: Stage, screen: ScreenLedger): Promise<never> {
  const { line, chance } = stage;
  for (;;) {
    const samples = Array.from({ length: 1 + chance.int(4) }, () =>
      sample(stage.sinceMs + stage.next() * 11),
    );
    for (const one of samples) screen.samples.sent.add(one.measured_at);
    const beat = await line.call(operations.sendHeartbeats, {
      key: screen.token,
      body: { samples, state: state() },
    });
    await unlessBusy(beat.code, async () => {
      must(beat.data, 'a heartbeat was refused', beat.text);
      for (const one of samples) screen.samples.told.add(one.measured_at);
      for (const { id } of beat.data.commands)
        await line.call(operations.reportCommand, {
          params: { id },
          key: screen.token,
          body: { status: chance.pick(['acknowledged', 'succeeded', 'failed']) },
        });
    });
    const plays = Array.from({ length: 1 + chance.int(5) }, () =>
      play(
        `play_${String(stage.next()).padStart(20, '0')}`,
        'asset_0000000000',
        stage.sinceMs + chance.int(60_000),
      ),
    );
    for (const one of plays) screen.plays.sent.add(one.id);
    const told = await line.call(operations.sendPlays, { key: screen.token, body: { plays } });
    await unlessBusy(told.code, async () => {
      must(told.data && told.data.accepted.length === plays.length, 'plays were refused', told.text);
      for (const one of plays) screen.plays.told.add(one.id);
    });
    await pause(chance);
  }
}

async function unlessBusy(code: string | null, run: () => Promise<void>): Promise<void> {
  // 120 requests a minute are a screen's own limit; what was refused is simply not told.
  if (code === 'RATE_LIMITED') await sleep(500);
  else await run();
}

/** A technician who pairs one screen after the other. */
export async function technician(stage: Stage): Promise<never> {
  const { line, chance, ledger } = stage;
  for (;;) {
    const name = `screen ${stage.next()}`;
    const from = `127.0.2.${1 + chance.int(250)}`;
    const start = () => line.call(operations.startPairing, { body: startBody(name), from });
    const first = await start();
    must(first.data, 'a pairing start was refused', first.text);
    const again = await start();
    must(
      again.data?.pairing_id === first.data.pairing_id && again.data.code === first.data.code,
      'the same screen asking again got another session',
      { first: first.data, again: again.text },
    );
    const entry = fresh();
    ledger.devices.set(name, entry);
    const paired = await line.call(operations.pairDevice, {
      body: { code: first.data.code, name, tags: ['kill'] },
    });
    must(paired.data, 'a pairing was refused', paired.text);
    entry.id = paired.data.id;
    ledger.notices.due.add(`device.paired ${entry.id}`);
    const poll = { params: { id: first.data.pairing_id }, body: { poll_token: first.data.poll_token }, from };
    const [one, two] = [
      await line.call(operations.pollPairing, poll),
      await line.call(operations.pollPairing, poll),
    ];
    must(
      one.data && 'device_token' in one.data && one.data.device_id === entry.id,
      'a confirmed screen gets no token',
      one.text,
    );
    must(one.text === two.text, 'a token that was asked for twice is another', [one.text, two.text]);
    const manifest = await line.call(operations.getManifest, { key: one.data.device_token });
    must(manifest.data, 'the token does not work', manifest.text);
    await sleep(40 + chance.int(60));
  }
}

/** Sends commands, and opens stores. */
export async function operator(stage: Stage, deviceId: string): Promise<never> {
  const { line, chance, ledger } = stage;
  for (;;) {
    const sent = await line.call(operations.sendCommand, {
      params: { id: deviceId },
      body: { command: 'REFRESH', expires_in: 3_600 },
    });
    must(sent.data, 'a command was refused', sent.text);
    ledger.commands.add(sent.data.id);
    const name = `store ${stage.next()}`;
    const entry = fresh();
    ledger.stores.set(name, entry);
    const made = await line.call(operations.createStore, { body: { name } });
    must(made.data, 'a store was refused', made.text);
    entry.id = made.data.id;
    await sleep(50 + chance.int(100));
  }
}
