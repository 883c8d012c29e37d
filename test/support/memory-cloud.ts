import {
  Fault,
  PAIRING_RENEWAL_MS,
  type CommandStatusRequest,
  type HeartbeatRequest,
  type Play,
  type ServerMessage,
  type WireCommand,
} from '@placard/protocol';
import type { Clock, CloudLink, KeptManifest, SocketEnd } from '../../src/core/ports.ts';

/** A cloud without a network, for simulated days. */
export interface MemoryCloud extends CloudLink {
  /** While it is away every call fails and no socket stands. */
  away: boolean;
  /** What every call gets instead of an answer; null: answers. */
  failure: Fault | null;
  /** Sockets are blocked on the way; calls get through. */
  socketsBlocked: boolean;
  /** Plays that it does not take. */
  refuses: (play: Play) => boolean;
  setManifest(manifest: KeptManifest): void;
  /** Somebody types this code in, or the one that is shown. */
  confirm(code?: string): void;
  unpair(): void;
  command(command: WireCommand): void;
  readonly seen: {
    heartbeats: HeartbeatRequest[];
    plays: Map<string, Play>;
    /** How often a play was sent again after it had been confirmed. */
    playsTwice: number;
    statuses: { id: string; status: CommandStatusRequest }[];
    manifests: number;
    /** Of each start of a pairing; null: it had none. */
    secrets: (string | null)[];
    calls: number;
  };
}

const takesAll = (_play: Play) => false;
const CODES = ['BCD-FGH', 'JKL-MNP', 'QRS-TVW'];

export function createMemoryCloud(deps: { clock: Clock }): MemoryCloud {
  const { clock } = deps;
  let manifest: KeptManifest | null = null;
  /** Sessions of the screen, newest last. */
  const sessions: { id: string; code: string; expiresAtMs: number }[] = [];
  /** Codes that were typed in; null: whichever is asked for. */
  let typed: Set<string> | null = new Set();
  let token: string | null = null;
  const commands: WireCommand[] = [];
  const sockets = new Set<{ tell(message: ServerMessage): void; close(end: SocketEnd): void }>();
  const seen: MemoryCloud['seen'] = {
    heartbeats: [],
    plays: new Map(),
    playsTwice: 0,
    statuses: [],
    manifests: 0,
    secrets: [],
    calls: 0,
  };
  let away = false;
  let socketsBlocked = false;
  let failure: Fault | null = null;
  let refuses = takesAll;
  const reach = () => {
    seen.calls += 1;
    if (failure) throw failure;
    if (away) throw new Fault('cloud.unreachable', 'later', { reason: 'ECONNREFUSED' });
  };
  const unpaired = { kind: 'unpaired' as const };
  const tellAll = (message: ServerMessage) => {
    for (const socket of sockets) socket.tell(message);
  };
  const closeAll = (end: SocketEnd) => {
    for (const socket of sockets) socket.close(end);
  };

  return {
    seen,
    get away() {
      return away;
    },
    set away(value) {
      away = value;
      if (value) closeAll({ kind: 'closed', code: 1006, welcomed: true });
    },
    get failure() {
      return failure;
    },
    set failure(value) {
      failure = value;
      if (value) closeAll({ kind: 'closed', code: 1006, welcomed: true });
    },
    get refuses() {
      return refuses;
    },
    set refuses(value) {
      refuses = value;
    },
    get socketsBlocked() {
      return socketsBlocked;
    },
    set socketsBlocked(value) {
      socketsBlocked = value;
      if (value) closeAll({ kind: 'closed', code: 1006, welcomed: true });
    },
    setManifest(next) {
      manifest = next;
      if (!away) tellAll({ type: 'manifest_changed', revision: next.revision });
    },
    confirm(code) {
      if (code === undefined) typed = null;
      else typed?.add(code);
    },
    unpair() {
      token = null;
      typed = new Set();
      if (!away) closeAll(unpaired);
    },
    command(command) {
      commands.push(command);
      if (!away) tellAll({ type: 'command', command });
    },

    async startPairing(request) {
      reach();
      seen.secrets.push(request.screen_secret ?? null);
      if ((sessions.at(-1)?.expiresAtMs ?? 0) <= clock.wall() + PAIRING_RENEWAL_MS) {
        const code = CODES[sessions.length % CODES.length] ?? '';
        sessions.push({ id: `pair_${sessions.length + 1}`, code, expiresAtMs: clock.wall() + 900_000 });
      }
      const { id, code, expiresAtMs } = sessions.at(-1)!;
      return {
        pairing_id: id,
        poll_token: 'poll-secret',
        code,
        verification_url: 'http://cloud.test/pair',
        verification_url_complete: `http://cloud.test/pair?code=${code}`,
        expires_at: new Date(expiresAtMs).toISOString(),
        interval: 5,
      };
    },
    async pollPairing({ pairingId }) {
      reach();
      const session = sessions.find(({ id }) => id === pairingId);
      if (typed && !typed.has(session?.code ?? '')) {
        const live = session && session.expiresAtMs > clock.wall();
        return live ? { kind: 'pending', intervalMs: 5_000 } : { kind: 'expired' };
      }
      token ??= `token-${clock.mono()}`;
      return { kind: 'paired', identity: { deviceId: 'dev_1', deviceToken: token } };
    },
    async probe() {
      reach();
      return { roundTripMs: 20, clockOffMs: 0 };
    },
    device: (given) => ({
      async manifest(known) {
        reach();
        if (given !== token) return unpaired;
        seen.manifests += 1;
        if (!manifest) throw new Fault('cloud.busy', 'later', {});
        return known === manifest.revision ? { kind: 'unchanged' } : { kind: 'manifest', manifest };
      },
      async heartbeat(body) {
        reach();
        if (given !== token) return unpaired;
        seen.heartbeats.push(body);
        return {
          kind: 'ok',
          answer: {
            server_time: new Date(clock.wall()).toISOString(),
            manifest_revision: manifest?.revision ?? 'none',
            commands: [...commands],
            next_heartbeat_in: 60,
          },
        };
      },
      async plays(plays) {
        reach();
        if (given !== token) return unpaired;
        const accepted = plays.filter((play) => !refuses(play));
        const rejected = plays.flatMap((play, index) =>
          refuses(play) ? [{ index, id: play.id, message: 'refused' }] : [],
        );
        for (const play of accepted) {
          if (seen.plays.has(play.id)) seen.playsTwice += 1;
          seen.plays.set(play.id, play);
        }
        return { kind: 'ok', answer: { accepted: accepted.map((play) => play.id), rejected } };
      },
      async commandStatus(id, status) {
        reach();
        if (given !== token) return unpaired;
        const index = commands.findIndex((command) => command.id === id);
        if (index >= 0) commands.splice(index, 1);
        seen.statuses.push({ id, status });
        return { kind: 'ok' };
      },
      async listen(socket, signal) {
        reach();
        if (given !== token) throw new Fault('cloud.refused', 'later', { status: 401 });
        if (socketsBlocked) throw new Fault('cloud.refused', 'later', { status: 403 });
        return new Promise((resolve) => {
          const line = {
            tell: (message: ServerMessage) => socket.onMessage(message),
            close(end: SocketEnd) {
              sockets.delete(line);
              signal.removeEventListener('abort', stop);
              resolve(end);
            },
          };
          const stop = () => line.close({ kind: 'closed', code: 1000, welcomed: true });
          signal.addEventListener('abort', stop, { once: true });
          sockets.add(line);
          line.tell({
            type: 'welcome',
            protocol: 1,
            server_time: new Date(clock.wall()).toISOString(),
            manifest_revision: manifest?.revision ?? 'none',
            heartbeat_interval: 60,
          });
          socket.hello(1);
        });
      },
    }),
  };
}
