import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROTOCOL_VERSION, serverMessage, SOCKET_CLOSE } from '@placard/protocol';
import { WebSocket } from 'ws';
import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';
import { asArray, errorMessage, asObject } from '../support/json.ts';
import { buildPlay, buildSample, buildReportedState } from '../support/paired-device.ts';
import type { LoadProfile } from './load-profile.ts';
import type { RequestRecords } from './request-records.ts';
import type { MeasuredClient } from './measured-client.ts';
import type { Stopwatch } from './stopwatch.ts';

/** One simulated player: what it has sent, and what the cloud has acknowledged. */
export interface PlayerClient {
  readonly deviceId: string;
  /** Ids of all plays sent; each must be in the cloud exactly once. */
  readonly plays: ReadonlySet<string>;
  /** Times of samples: sent, and acknowledged. */
  readonly samples: { sent: Set<string>; acknowledged: Set<string> };
  run(signal: AbortSignal): Promise<void>;
  /** Sends plays that are not acknowledged yet; true when none are left. */
  flush(): Promise<boolean>;
  readonly connected: boolean;
  close(): void;
}

export interface PlayerClientDeps {
  url: string;
  deviceId: string;
  token: string;
  /** Loopback source address. */
  from: string;
  contentId: string;
  client: MeasuredClient;
  records: RequestRecords;
  start: Stopwatch;
  random: SeededRandom;
  pressure: LoadProfile;
}

let playCount = 0;
const failureDetails = (status: number, text: string) => ({ status, code: '', reason: '', text });

export function createPlayerClient(deps: PlayerClientDeps): PlayerClient {
  const { url, deviceId, token, from, contentId, client, records, start, random, pressure } = deps;
  const sent = new Set<string>();
  const samples = { sent: new Set<string>(), acknowledged: new Set<string>() };
  let pendingPlays: ReturnType<typeof buildPlay>[] = [];
  let revision: string | null = null;
  let etag: string | null = null;
  let socket: WebSocket | null = null;
  let closing = false;
  /** Actions run one after the other, as in a player. */
  let queue: Promise<unknown> = Promise.resolve();
  const enqueue = (act: () => Promise<unknown>) => (queue = queue.then(act));

  const fetchManifest = async () => {
    const headers = etag === null ? {} : { 'if-none-match': etag };
    const kind = etag === null ? 'manifest' : 'manifest, if changed';
    const reply = await client.send(kind, {
      method: 'GET',
      path: '/v1/player/manifest',
      key: token,
      from,
      headers,
    });
    if (reply?.status !== 200) {
      return;
    }
    etag = reply.headers['etag'] ?? null;
    const told = asObject(reply.data)['revision'];
    revision = typeof told === 'string' ? told : null;
  };
  const sendHeartbeat = async () => {
    const one = buildSample(Date.now());
    samples.sent.add(one.measured_at);
    const json = { samples: [one], state: buildReportedState(revision) };
    const reply = await client.send('heartbeat', {
      method: 'POST',
      path: '/v1/player/heartbeats',
      key: token,
      from,
      json,
    });
    if (reply?.status === 200) {
      samples.acknowledged.add(one.measured_at);
    }
  };
  const sendPlays = async () => {
    if (pendingPlays.length === 0) {
      return;
    }
    const json = { plays: pendingPlays.slice(0, 100) };
    const reply = await client.send('plays', {
      method: 'POST',
      path: '/v1/player/plays',
      key: token,
      from,
      json,
    });
    const accepted = new Set(asArray(asObject(reply?.data)['accepted']));
    pendingPlays = pendingPlays.filter((one) => !accepted.has(one.id));
  };
  const reportPlay = async () => {
    const one = buildPlay(
      `play_steady${String(playCount++).padStart(12, '0')}`,
      contentId,
      Date.now() - 10_000,
    );
    sent.add(one.id);
    pendingPlays.push(one);
    await sendPlays();
  };

  const keepSocket = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const stop = start();
      const webSocket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/player/socket`, {
        headers: { authorization: `Bearer ${token}` },
        localAddress: from,
      });
      socket = webSocket;
      webSocket.on('message', (bytes: Buffer) => {
        const message = serverMessage.parse(JSON.parse(bytes.toString('utf8')));
        if (message.type === 'welcome') {
          records.add('socket, until welcome', stop());
          webSocket.send(JSON.stringify({ type: 'hello', protocol: PROTOCOL_VERSION, player_version: '1' }));
        }
        // Like the player, fetch a changed manifest at once.
        if (message.type === 'manifest_changed' && message.revision !== revision) {
          void enqueue(fetchManifest);
        }
      });
      let refused: string | null = null;
      webSocket.on('error', (error) => (refused = errorMessage(error)));
      const [code] = await once(webSocket, 'close').catch(() => [0]);
      if (closing) {
        return;
      }
      if (refused === null) {
        records.add('socket, kept open', start()(), failureDetails(0, `closed with ${code}`));
      } else {
        const status = Number(/\b(\d{3})\b/.exec(refused)?.[1] ?? 0);
        records.add('socket, until welcome', stop(), failureDetails(status, refused));
      }
      if (code === SOCKET_CLOSE.unpaired) {
        return;
      }
      await sleep(1_000, undefined, { signal }).catch(() => {});
    }
  };

  /** Measures a ping of the open socket. */
  const ping = async () => {
    if (socket?.readyState !== WebSocket.OPEN) {
      return;
    }
    const stop = start();
    socket.ping();
    await once(socket, 'pong').catch(() => {});
    records.add('socket, ping', stop());
  };

  const every = async (ms: number, act: () => Promise<unknown>, signal: AbortSignal) => {
    // Random start, so that the devices do not send at the same time.
    let waitMs = random.below(ms);
    while (!signal.aborted) {
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      if (!signal.aborted) {
        await enqueue(act);
      }
      waitMs = ms;
    }
  };

  return {
    deviceId,
    plays: sent,
    samples,
    async run(signal) {
      void keepSocket(signal);
      await Promise.all([
        every(pressure.heartbeatMs, sendHeartbeat, signal),
        every(pressure.manifestMs, fetchManifest, signal),
        every(pressure.playMs, reportPlay, signal),
        every(pressure.heartbeatMs, async () => void ping(), signal),
      ]);
    },
    async flush() {
      await enqueue(sendPlays);
      return pendingPlays.length === 0;
    },
    get connected() {
      return socket?.readyState === WebSocket.OPEN;
    },
    close() {
      closing = true;
      socket?.terminate();
    },
  };
}
