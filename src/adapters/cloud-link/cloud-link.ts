import {
  Fault,
  heartbeatResponse,
  MAX_WAITING_COMMANDS,
  pairingPendingResponse,
  pairingStartResponse,
  pairingTokenResponse,
  playsResponse,
  readManifest,
  wireCommand,
} from '@placard/protocol';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import type { Clock, CloudLink, DeviceLink, Log, Random } from '../../core/ports.ts';
import { call, dataOf, refusal, refusedForGood, saysUnpaired, type CloudHttpDeps } from './http.ts';
import type { ProxySettings } from './proxy.ts';
import { holdSocket } from './socket.ts';
import { translateNetwork } from './translate.ts';

export interface CloudLinkDeps {
  /** Address of the cloud. */
  server: string;
  playerVersion: string;
  dispatcher: Dispatcher;
  proxies: ProxySettings;
  clock: Pick<Clock, 'mono' | 'sleep'>;
  /** Spreads the waits that the cloud asks for. */
  random: Pick<Random, 'next'>;
  onServerTime(serverMs: number, roundTripMs: number): void;
  log: Log;
}

const looseHeartbeatResponse = heartbeatResponse.extend({
  commands: z.array(z.unknown()).transform((commands) => commands.slice(0, MAX_WAITING_COMMANDS)),
});

const PAIRING = '/v1/player/pairing';

/** The cloud over HTTP and one socket. It never tries again by itself: when to is decided by the loops. */
export function createCloudLink(deps: CloudLinkDeps): CloudLink {
  const server = deps.server.replace(/\/+$/, '');
  const http: CloudHttpDeps = { ...deps, server };
  return {
    async startPairing(body, signal) {
      const answer = await call(http, { method: 'POST', path: PAIRING, body, signal });
      return dataOf(pairingStartResponse, PAIRING, answer);
    },
    async pollPairing(session, signal) {
      const path = `${PAIRING}/${encodeURIComponent(session.pairingId)}/token`;
      const body = { poll_token: session.pollToken };
      const answer = await call(http, { method: 'POST', path, body, signal });
      if (answer.status === 410 || (answer.status === 404 && answer.errorCode === 'PAIRING_CODE_NOT_FOUND')) {
        return { kind: 'expired' };
      }
      if (answer.status === 429) return { kind: 'slow_down', afterMs: answer.retryAfterMs ?? 0 };
      if (answer.status === 202) {
        const pending = dataOf(pairingPendingResponse, path, answer);
        return { kind: 'pending', intervalMs: Math.max(1, pending.interval) * 1_000 };
      }
      const paired = dataOf(pairingTokenResponse, path, answer);
      return {
        kind: 'paired',
        identity: { deviceId: paired.device_id, deviceToken: paired.device_token },
      };
    },
    async probe(signal) {
      const began = performance.now();
      // Without a token every cloud refuses this, in its own envelope: all that is asked.
      const path = '/v1/player/manifest';
      const answer = await call(http, { method: 'GET', path, signal });
      const roundTripMs = performance.now() - began;
      if (answer.status >= 500 || answer.status === 429) throw refusal(path, answer);
      const serverMs = answer.serverMs;
      return { roundTripMs, clockOffMs: serverMs === null ? null : clockOff(serverMs, roundTripMs) };
    },
    device: (token) => deviceLink(deps, http, token),
  };
}

/** The header has whole seconds: half a second, and half of the way, after it is the best guess. */
const clockOff = (serverMs: number, roundTripMs: number): number =>
  Math.round(Date.now() - roundTripMs / 2 - (serverMs + 500));

function deviceLink(deps: CloudLinkDeps, http: CloudHttpDeps, token: string): DeviceLink {
  return {
    async manifest(knownRevision, signal) {
      const path = '/v1/player/manifest';
      const headers = knownRevision === null ? {} : { 'if-none-match': `"${knownRevision}"` };
      const answer = await call(http, { method: 'GET', path, token, headers, signal });
      if (saysUnpaired(answer)) return { kind: 'unpaired' };
      if (answer.status === 304) return { kind: 'unchanged' };
      const read = readManifest(dataOf(z.unknown(), path, answer));
      if (!read) throw new Fault('cloud.not_placard', 'later', { path, problem: 'not a manifest' });
      return { kind: 'manifest', manifest: read };
    },
    async heartbeat(body, signal) {
      const path = '/v1/player/heartbeats';
      const began = performance.now();
      const answer = await call(http, { method: 'POST', path, token, body, signal });
      if (saysUnpaired(answer)) return { kind: 'unpaired' };
      const parsed = dataOf(looseHeartbeatResponse, path, answer);
      deps.onServerTime(Date.parse(parsed.server_time), performance.now() - began);
      // One command that cannot be read keeps nothing else of the answer from being heard.
      const commands = parsed.commands.flatMap((command) => wireCommand.safeParse(command).data ?? []);
      const unread = parsed.commands.length - commands.length;
      if (unread > 0) deps.log.warn({ unread }, 'commands.unread');
      return { kind: 'ok', answer: { ...parsed, commands } };
    },
    async plays(plays, signal) {
      const path = '/v1/player/plays';
      const answer = await call(http, { method: 'POST', path, token, body: { plays }, signal });
      if (saysUnpaired(answer)) return { kind: 'unpaired' };
      return refusedForGood(answer) ?? { kind: 'ok', answer: dataOf(playsResponse, path, answer) };
    },
    async commandStatus(id, status, signal) {
      const path = `/v1/player/commands/${encodeURIComponent(id)}/status`;
      const answer = await call(http, { method: 'POST', path, token, body: status, signal });
      if (saysUnpaired(answer)) return { kind: 'unpaired' };
      const refused = refusedForGood(answer);
      if (refused) return refused;
      dataOf(z.unknown(), path, answer);
      return { kind: 'ok' };
    },
    async listen(socket, signal) {
      const url = `${http.server.replace(/^http/, 'ws')}/v1/player/socket`;
      try {
        return await holdSocket({ ...deps, ...socket, url, token }, signal);
      } catch (error) {
        throw translateNetwork(error, { path: '/v1/player/socket' });
      }
    },
  };
}
