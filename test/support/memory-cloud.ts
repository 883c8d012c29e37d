import { Fault, PAIRING_RENEWAL_MS, PROTOCOL_VERSION } from '@placard/protocol';
import type {
  CapabilitiesReport,
  CommandStatusRequest,
  HeartbeatRequest,
  Play,
  PushedMessage,
  WireCommand,
  LogsUpload,
  LiveAnswer,
  LiveWanted,
  ScreenshotUpload,
} from '@placard/protocol';
import type { Clock, CloudLink, SocketCloseResult } from '../../src/core/ports.ts';
import type { StoredManifest } from '../../src/core/stored-manifest.ts';

/** A cloud without a network, for simulated days. */
export interface MemoryCloud extends CloudLink {
  /** While set, every call fails and no socket can be opened. */
  unreachable: boolean;
  /** Makes every call fail with this fault; null: none. */
  failure: Fault | null;
  /** Sockets are blocked by the network; HTTP calls work. */
  socketsBlocked: boolean;
  /** Plays that the cloud rejects. */
  rejectsPlay: (play: Play) => boolean;
  /** It is of a version that does not know `sendCapabilities`. */
  refusesCapabilities: boolean;
  /** What it says on sockets. */
  protocol: number;
  /** It says when players update. */
  holdsUpdates: boolean;
  setManifest(manifest: StoredManifest): void;
  /** Confirms this pairing code, or the one that is shown. */
  confirmPairing(code?: string): void;
  unpair(): void;
  sendCommand(command: WireCommand): void;
  /** Somebody looks at the screen, or follows its log. */
  requestLive(wanted?: LiveWanted): void;
  readonly received: {
    heartbeats: HeartbeatRequest[];
    plays: Map<string, Play>;
    /** Number of plays that were sent again after they had been acknowledged. */
    duplicatePlays: number;
    commandStatuses: { id: string; status: CommandStatusRequest }[];
    screenshots: ScreenshotUpload[];
    logs: LogsUpload[];
    liveAnswers: LiveAnswer[];
    capabilities: CapabilitiesReport[];
    manifestRequests: number;
    /** The screen secret of each pairing request; null: it had none. */
    screenSecrets: (string | null)[];
    callCount: number;
  };
}

const rejectsNone = (_play: Play) => false;
const CODES = ['BCD-FGH', 'JKL-MNP', 'QRS-TVW'];

export function createMemoryCloud(deps: { clock: Clock }): MemoryCloud {
  const { clock } = deps;
  let manifest: StoredManifest | null = null;
  /** Pairing sessions, newest last. */
  const sessions: { id: string; code: string; expiresAtMs: number }[] = [];
  /** Codes that were entered; null: any code counts as entered. */
  let enteredCodes: Set<string> | null = new Set();
  let token: string | null = null;
  const commands: WireCommand[] = [];
  const sockets = new Set<{ send(message: PushedMessage): void; close(end: SocketCloseResult): void }>();
  const received: MemoryCloud['received'] = {
    heartbeats: [],
    plays: new Map(),
    duplicatePlays: 0,
    commandStatuses: [],
    screenshots: [],
    logs: [],
    liveAnswers: [],
    capabilities: [],
    manifestRequests: 0,
    screenSecrets: [],
    callCount: 0,
  };
  let unreachable = false;
  let socketsBlocked = false;
  let failure: Fault | null = null;
  let rejectsPlay = rejectsNone;
  let refusesCapabilities = false;
  let protocol = PROTOCOL_VERSION;
  let holdsUpdates = false;
  const throwIfUnreachable = () => {
    received.callCount += 1;
    if (failure) {
      throw failure;
    }
    if (unreachable) {
      throw new Fault('cloud.unreachable', 'later', { reason: 'ECONNREFUSED' });
    }
  };
  const unpaired = { kind: 'unpaired' as const };
  const broadcast = (message: PushedMessage) => {
    for (const socket of sockets) {
      socket.send(message);
    }
  };
  const closeAll = (end: SocketCloseResult) => {
    for (const socket of sockets) {
      socket.close(end);
    }
  };

  return {
    received,
    get unreachable() {
      return unreachable;
    },
    set unreachable(value) {
      unreachable = value;
      if (value) {
        closeAll({ kind: 'closed', code: 1006, welcomed: true, retryAfterMs: null });
      }
    },
    get failure() {
      return failure;
    },
    set failure(value) {
      failure = value;
      if (value) {
        closeAll({ kind: 'closed', code: 1006, welcomed: true, retryAfterMs: null });
      }
    },
    get protocol() {
      return protocol;
    },
    set protocol(value) {
      protocol = value;
    },
    get refusesCapabilities() {
      return refusesCapabilities;
    },
    set refusesCapabilities(value) {
      refusesCapabilities = value;
    },
    get holdsUpdates() {
      return holdsUpdates;
    },
    set holdsUpdates(value) {
      holdsUpdates = value;
    },
    get rejectsPlay() {
      return rejectsPlay;
    },
    set rejectsPlay(value) {
      rejectsPlay = value;
    },
    get socketsBlocked() {
      return socketsBlocked;
    },
    set socketsBlocked(value) {
      socketsBlocked = value;
      if (value) {
        closeAll({ kind: 'closed', code: 1006, welcomed: true, retryAfterMs: null });
      }
    },
    setManifest(next) {
      manifest = next;
      if (!unreachable) {
        broadcast({ type: 'manifest_changed', revision: next.revision });
      }
    },
    confirmPairing(code) {
      if (code === undefined) {
        enteredCodes = null;
      } else {
        enteredCodes?.add(code);
      }
    },
    unpair() {
      token = null;
      enteredCodes = new Set();
      if (!unreachable) {
        closeAll(unpaired);
      }
    },
    requestLive: (wanted = 'picture') => broadcast({ type: 'live_request', wanted }),
    sendCommand(command) {
      commands.push(command);
      if (!unreachable) {
        broadcast({ type: 'command', command });
      }
    },

    async startPairing(request) {
      throwIfUnreachable();
      received.screenSecrets.push(request.screen_secret ?? null);
      if ((sessions.at(-1)?.expiresAtMs ?? 0) <= clock.wallMs() + PAIRING_RENEWAL_MS) {
        const code = CODES[sessions.length % CODES.length] ?? '';
        sessions.push({ id: `pair_${sessions.length + 1}`, code, expiresAtMs: clock.wallMs() + 900_000 });
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
      throwIfUnreachable();
      const session = sessions.find(({ id }) => id === pairingId);
      if (enteredCodes && !enteredCodes.has(session?.code ?? '')) {
        const isLive = session && session.expiresAtMs > clock.wallMs();
        return isLive ? { kind: 'pending', intervalMs: 5_000 } : { kind: 'expired' };
      }
      token ??= `token-${clock.monoMs()}`;
      return { kind: 'paired', identity: { deviceId: 'dev_1', deviceToken: token } };
    },
    async probe() {
      throwIfUnreachable();
      return { roundTripMs: 20, clockOffsetMs: 0 };
    },
    createDeviceLink: (deviceToken) => ({
      async fetchManifest(known) {
        throwIfUnreachable();
        if (deviceToken !== token) {
          return unpaired;
        }
        received.manifestRequests += 1;
        if (!manifest) {
          throw new Fault('cloud.busy', 'later', {});
        }
        return known === manifest.revision ? { kind: 'unchanged' } : { kind: 'manifest', manifest };
      },
      async sendHeartbeat(body) {
        throwIfUnreachable();
        if (deviceToken !== token) {
          return unpaired;
        }
        received.heartbeats.push(body);
        return {
          kind: 'ok',
          response: {
            server_time: new Date(clock.wallMs()).toISOString(),
            manifest_revision: manifest?.revision ?? 'none',
            commands: [...commands],
            next_heartbeat_in: 60,
            ...(holdsUpdates ? { updates_held: true } : {}),
          },
        };
      },
      async sendPlays(plays) {
        throwIfUnreachable();
        if (deviceToken !== token) {
          return unpaired;
        }
        const accepted = plays.filter((play) => !rejectsPlay(play));
        const rejected = plays.flatMap((play, index) =>
          rejectsPlay(play) ? [{ index, id: play.id, message: 'refused' }] : [],
        );
        for (const play of accepted) {
          if (received.plays.has(play.id)) {
            received.duplicatePlays += 1;
          }
          received.plays.set(play.id, play);
        }
        return { kind: 'ok', response: { accepted: accepted.map((play) => play.id), rejected } };
      },
      async reportCommandStatus(id, status) {
        throwIfUnreachable();
        if (deviceToken !== token) {
          return unpaired;
        }
        const index = commands.findIndex((command) => command.id === id);
        if (index >= 0) {
          commands.splice(index, 1);
        }
        received.commandStatuses.push({ id, status });
        return { kind: 'ok' };
      },
      async sendScreenshot(body) {
        throwIfUnreachable();
        if (deviceToken !== token) {
          return unpaired;
        }
        received.screenshots.push(body);
        return { kind: 'ok' };
      },
      async sendLogs(body) {
        throwIfUnreachable();
        if (deviceToken !== token) {
          return unpaired;
        }
        received.logs.push(body);
        return { kind: 'ok' };
      },
      async answerLive(body) {
        throwIfUnreachable();
        if (deviceToken !== token) {
          return unpaired;
        }
        received.liveAnswers.push(body);
        return { kind: 'ok' };
      },
      async sendCapabilities(body) {
        throwIfUnreachable();
        if (deviceToken !== token) {
          return unpaired;
        }
        received.capabilities.push(body);
        return refusesCapabilities ? { kind: 'refused', status: 404, code: 'NOT_FOUND' } : { kind: 'ok' };
      },
      async openSocket(socket, signal) {
        throwIfUnreachable();
        if (deviceToken !== token) {
          throw new Fault('cloud.refused', 'later', { status: 401 });
        }
        if (socketsBlocked) {
          throw new Fault('cloud.refused', 'later', { status: 403 });
        }
        return new Promise((resolve) => {
          const connection = {
            send: (message: PushedMessage) => socket.onMessage(message),
            close(end: SocketCloseResult) {
              sockets.delete(connection);
              signal.removeEventListener('abort', stop);
              resolve(end);
            },
          };
          const stop = () =>
            connection.close({ kind: 'closed', code: 1000, welcomed: true, retryAfterMs: null });
          signal.addEventListener('abort', stop, { once: true });
          sockets.add(connection);
          connection.send({
            type: 'welcome',
            protocol,
            server_time: new Date(clock.wallMs()).toISOString(),
            manifest_revision: manifest?.revision ?? 'none',
            heartbeat_interval: 60,
          });
          socket.hello(protocol);
        });
      },
    }),
  };
}
