import { setTimeout as sleep } from 'node:timers/promises';
import type { HeartbeatRequest, HeartbeatResponse } from '@placard/protocol';
import { operations } from '@placard/protocol/api';
import { createSystemClock } from '../../../../../src/adapters/clock/system-clock.ts';
import { createSocketHeartbeats } from '../../../../../src/adapters/cloud-link/socket-heartbeats.ts';
import type { SocketHeartbeats } from '../../../../../src/adapters/cloud-link/socket-heartbeats.ts';
import { createRecordingLog } from '../../../../../test/support/recording-log.ts';
import type { Api } from '../support/api.ts';
import { assert } from '../support/contract-violation.ts';
import { buildPlay, buildReportedState, buildSample, pairDevice } from '../support/paired-device.ts';
import type { PairedDevice } from '../support/paired-device.ts';
import { openPlayerSocket } from '../support/player-socket.ts';
import type { PlayerSocket } from '../support/player-socket.ts';
import type { ActorContext } from './actors.ts';

/** Pairs a device that a `player` then plays. */
export async function pairScreen({ note }: ActorContext, api: Api, name: string): Promise<PairedDevice> {
  note({ type: 'creating', kind: 'devices', name });
  const paired = await pairDevice(api, name, { name });
  note({ type: 'created', kind: 'devices', name, id: paired.deviceId });
  note({ type: 'paired', device: paired.deviceId, token: paired.token });
  return paired;
}

/** How a player sends its heartbeats. */
interface HeartbeatSender {
  /** Sends one until it is answered; null when it was refused because there were too many. */
  send(request: HeartbeatRequest): Promise<HeartbeatResponse | null>;
  /** Heartbeats for each request with plays. */
  perPlays: number;
}

export function heartbeatsByHttp({ retryingClient }: ActorContext, token: string): HeartbeatSender {
  return {
    async send(body) {
      const response = await retryingClient.call(operations.sendHeartbeats, { key: token, body });
      assert(response.data ?? response.code === 'RATE_LIMITED', 'a heartbeat was rejected', response.text);
      return response.data;
    },
    perPlays: 1,
  };
}

/** As a player does: over its socket, and by HTTP when it was not acknowledged there. */
export function heartbeatsOverSocket(context: ActorContext, token: string): HeartbeatSender {
  const { client, random, retryingClient, note } = context;
  const byHttp = heartbeatsByHttp(context, token);
  const { signal } = new AbortController();
  let connection: { socket: PlayerSocket; heartbeats: SocketHeartbeats } | null = null;

  const exchange = async (request: HeartbeatRequest): Promise<HeartbeatResponse | null> => {
    if (!connection || connection.socket.closed.aborted) {
      connection = await connect(client.url, token);
    }
    const { heartbeats } = connection;
    const isInvalid = random.oneIn(10);
    const response = await heartbeats.send(isInvalid ? withInvalidSample(request) : request, signal);
    assert(!isInvalid || !response, 'an invalid heartbeat was acknowledged', response);
    note({
      type: 'socket_heartbeat',
      outcome: response ? 'acknowledged' : isInvalid ? 'refused' : 'unanswered',
    });
    return response;
  };
  return {
    send: async (request) =>
      (await retryingClient.repeatUntilAnswered(() => exchange(request))) ?? byHttp.send(request),
    perPlays: 4,
  };
}

async function connect(
  url: string,
  token: string,
): Promise<{ socket: PlayerSocket; heartbeats: SocketHeartbeats }> {
  const socket = await openPlayerSocket(url, token, (message) => {
    if (message.type === 'heartbeat_ack' || message.type === 'heartbeat_refused') {
      heartbeats.receive(message);
    }
  });
  const heartbeats = createSocketHeartbeats({
    clock: createSystemClock({ lastGoodMs: null }),
    sendText: (text) => socket.send(text),
    closed: socket.closed,
    onServerTime: () => {},
    log: createRecordingLog(),
  });
  return { socket, heartbeats };
}

/** Nothing of it may be stored. */
const withInvalidSample = (request: HeartbeatRequest): HeartbeatRequest => ({
  ...request,
  samples: [...request.samples, { ...buildSample(Date.now(), 101) }],
});

/** A player that sends samples and plays, and repeats them until they are acknowledged. */
export async function player(
  context: ActorContext,
  { deviceId: device, token }: PairedDevice,
  createSender: (context: ActorContext, token: string) => HeartbeatSender = heartbeatsByHttp,
): Promise<never> {
  const sender = createSender(context, token);
  for (;;) {
    for (let count = 0; count < sender.perPlays; count++) {
      await sendSamples(context, device, token, sender);
    }
    await sendPlays(context, device, token);
    await sleep(context.random.below(25));
  }
}

async function sendSamples(
  { retryingClient, random, note, next, sinceMs }: ActorContext,
  device: string,
  token: string,
  sender: HeartbeatSender,
): Promise<void> {
  const samples = Array.from({ length: 1 + random.below(4) }, () => buildSample(sinceMs + next() * 11));
  const keys = samples.map((one) => one.measured_at);
  const lastMs = Date.parse(keys.at(-1) ?? '');
  // Tells which heartbeat the state of the device comes from.
  const storage = { cache_bytes: lastMs, free_bytes: null, assets_held: 0, assets_missing: 0 };
  note({ type: 'sending', kind: 'samples', device, keys });
  const response = await sender.send({ samples, state: { ...buildReportedState(), storage } });
  if (!response) {
    return waitForLimit();
  }
  note({ type: 'sent', kind: 'samples', device, keys });
  for (const { id } of response.commands) {
    const status = random.pick(['acknowledged', 'succeeded', 'failed']);
    const report = await retryingClient.call(operations.reportCommand, {
      params: { id },
      key: token,
      body: { status },
    });
    if (report.data) {
      note({ type: 'reported', id, status });
    }
  }
}

async function sendPlays(
  { retryingClient, random, note, next, sinceMs }: ActorContext,
  device: string,
  token: string,
): Promise<void> {
  const plays = Array.from({ length: 1 + random.below(5) }, () =>
    buildPlay(`play_${String(next()).padStart(20, '0')}`, 'asset_0000000000', sinceMs + random.below(60_000)),
  );
  const keys = plays.map(({ id }) => id);
  note({ type: 'sending', kind: 'plays', device, keys });
  const response = await retryingClient.call(operations.sendPlays, { key: token, body: { plays } });
  if (response.code === 'RATE_LIMITED') {
    return waitForLimit();
  }
  assert(response.data?.accepted.length === plays.length, 'plays were rejected', response.text);
  note({ type: 'sent', kind: 'plays', device, keys });
}

/** A device may send 120 requests a minute; after a rejected one it waits and skips this round. */
const waitForLimit = () => sleep(500);
