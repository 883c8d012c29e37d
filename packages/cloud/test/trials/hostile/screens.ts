import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROTOCOL_VERSION, serverMessage, SOCKET_CLOSE } from '@placard/protocol';
import { WebSocket } from 'ws';
import type { Chance } from '../support/chance.ts';
import { listOf, messageOf, objectOf } from '../support/json.ts';
import { play, sample, state } from '../support/player.ts';
import type { Pressure } from './pressure.ts';
import type { Records } from './records.ts';
import type { SteadyLine } from './steady-line.ts';
import type { Stopwatch } from './stopwatch.ts';

/** One simulated screen: what it has told, and what it was told that the cloud keeps. */
export interface SteadyScreen {
  readonly deviceId: string;
  /** Ids of all plays that it ever sent; each has to be in the cloud once. */
  readonly plays: ReadonlySet<string>;
  /** Instants of samples: sent, and acknowledged. */
  readonly samples: { sent: Set<string>; told: Set<string> };
  run(signal: AbortSignal): Promise<void>;
  /** Sends plays that the cloud has not taken yet; true when there are none left. */
  flush(): Promise<boolean>;
  readonly connected: boolean;
  close(): void;
}

export interface ScreenDeps {
  url: string;
  deviceId: string;
  token: string;
  /** Loopback address that it comes from. */
  from: string;
  contentId: string;
  line: SteadyLine;
  records: Records;
  start: Stopwatch;
  chance: Chance;
  pressure: Pressure;
}

let plays = 0;
const trouble = (status: number, text: string) => ({ status, code: '', reason: '', text });

export function createSteadyScreen(deps: ScreenDeps): SteadyScreen {
  const { url, deviceId, token, from, contentId, line, records, start, chance, pressure } = deps;
  const sent = new Set<string>();
  const samples = { sent: new Set<string>(), told: new Set<string>() };
  let held: ReturnType<typeof play>[] = [];
  let revision: string | null = null;
  let etag: string | null = null;
  let socket: WebSocket | null = null;
  let closing = false;
  /** What it does one after the other, as a player does. */
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = (act: () => Promise<unknown>) => (turn = turn.then(act));

  const fetchManifest = async () => {
    const headers = etag === null ? {} : { 'if-none-match': etag };
    const kind = etag === null ? 'manifest' : 'manifest, if changed';
    const reply = await line.ask(kind, {
      method: 'GET',
      path: '/v1/player/manifest',
      key: token,
      from,
      headers,
    });
    if (reply?.status !== 200) return;
    etag = reply.headers['etag'] ?? null;
    const told = objectOf(reply.data)['revision'];
    revision = typeof told === 'string' ? told : null;
  };
  const beat = async () => {
    const one = sample(Date.now());
    samples.sent.add(one.measured_at);
    const json = { samples: [one], state: state(revision) };
    const reply = await line.ask('heartbeat', {
      method: 'POST',
      path: '/v1/player/heartbeats',
      key: token,
      from,
      json,
    });
    if (reply?.status === 200) samples.told.add(one.measured_at);
  };
  const sendPlays = async () => {
    if (held.length === 0) return;
    const json = { plays: held.slice(0, 100) };
    const reply = await line.ask('plays', {
      method: 'POST',
      path: '/v1/player/plays',
      key: token,
      from,
      json,
    });
    const accepted = new Set(listOf(objectOf(reply?.data)['accepted']));
    held = held.filter((one) => !accepted.has(one.id));
  };
  const showSomething = async () => {
    const one = play(`play_steady${String(plays++).padStart(12, '0')}`, contentId, Date.now() - 10_000);
    sent.add(one.id);
    held.push(one);
    await sendPlays();
  };

  const keepSocket = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const stop = start();
      const opened = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/player/socket`, {
        headers: { authorization: `Bearer ${token}` },
        localAddress: from,
      });
      socket = opened;
      opened.on('message', (bytes: Buffer) => {
        const message = serverMessage.parse(JSON.parse(bytes.toString('utf8')));
        if (message.type === 'welcome') {
          records.note('socket, until welcome', stop());
          const { manifest_revision } = message;
          opened.send(
            JSON.stringify({
              type: 'hello',
              protocol: PROTOCOL_VERSION,
              player_version: '1',
              manifest_revision,
              boot_id: 'boot',
            }),
          );
        }
        // As the player does: what has changed is fetched at once.
        if (message.type === 'manifest_changed' && message.revision !== revision) void inTurn(fetchManifest);
      });
      let refused: string | null = null;
      opened.on('error', (error) => (refused = messageOf(error)));
      const [code] = await once(opened, 'close').catch(() => [0]);
      if (closing) return;
      if (refused === null) records.note('socket, kept open', start()(), trouble(0, `closed with ${code}`));
      else {
        const status = Number(/\b(\d{3})\b/.exec(refused)?.[1] ?? 0);
        records.note('socket, until welcome', stop(), trouble(status, refused));
      }
      if (code === SOCKET_CLOSE.unpaired) return;
      await sleep(1_000, undefined, { signal }).catch(() => {});
    }
  };

  /** How long a ping of the open socket takes. */
  const ping = async () => {
    if (socket?.readyState !== WebSocket.OPEN) return;
    const stop = start();
    socket.ping();
    await once(socket, 'pong').catch(() => {});
    records.note('socket, ping', stop());
  };

  const every = async (ms: number, act: () => Promise<unknown>, signal: AbortSignal) => {
    // All screens together ask all the time, and not all at the same instant.
    let waitMs = chance.int(ms);
    while (!signal.aborted) {
      await sleep(waitMs, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await inTurn(act);
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
        every(pressure.heartbeatMs, beat, signal),
        every(pressure.manifestMs, fetchManifest, signal),
        every(pressure.playMs, showSomething, signal),
        every(pressure.heartbeatMs, async () => void ping(), signal),
      ]);
    },
    async flush() {
      await inTurn(sendPlays);
      return held.length === 0;
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
