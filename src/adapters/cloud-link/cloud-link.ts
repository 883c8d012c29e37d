import {
  Fault,
  pairingPendingResponse,
  pairingStartResponse,
  pairingTokenResponse,
  playsResponse,
  parseManifest,
} from '@placard/protocol';
import { z } from 'zod';
import type { CloudLink, DeviceLink, Log } from '../../core/ports.ts';
import { callCloud, parseData, toRefusalFault, findPermanentRefusal, isUnpaired } from './http.ts';
import type { CloudHttpDeps } from './http.ts';
import { lenientHeartbeatResponse, readCommands } from './heartbeat-response.ts';
import type { ProxySettings } from './proxy.ts';
import { runSocket } from './socket.ts';
import type { SocketHeartbeats } from './socket-heartbeats.ts';
import { toNetworkFault } from './network-faults.ts';

export interface CloudLinkDeps extends CloudHttpDeps {
  proxies: ProxySettings;
  /** Of all secrets of this device, before they are used: none may be in the log. A new value replaces that of the same name. */
  onSecret(name: 'device token' | 'poll token' | 'screen secret', value: string): void;
  log: Log;
}

const PAIRING_PATH = '/v1/player/pairing';

/**
 * The cloud over HTTP and one WebSocket. It never retries by itself: the loops decide when to. Only a heartbeat that the
 * socket did not carry is sent again at once, by HTTP.
 */
export function createCloudLink(deps: CloudLinkDeps): CloudLink {
  const server = deps.server.replace(/\/+$/, '');
  const http: CloudHttpDeps = { ...deps, server };
  return {
    async startPairing(body, signal) {
      if (body.screen_secret !== undefined) {
        deps.onSecret('screen secret', body.screen_secret);
      }
      const response = await callCloud(http, { method: 'POST', path: PAIRING_PATH, body, signal });
      const started = parseData(pairingStartResponse, PAIRING_PATH, response);
      deps.onSecret('poll token', started.poll_token);
      return started;
    },
    async pollPairing(session, signal) {
      // Of a session that an earlier run has started.
      deps.onSecret('poll token', session.pollToken);
      const path = `${PAIRING_PATH}/${encodeURIComponent(session.pairingId)}/token`;
      const body = { poll_token: session.pollToken };
      const response = await callCloud(http, { method: 'POST', path, body, signal });
      if (
        response.status === 410 ||
        (response.status === 404 && response.errorCode === 'PAIRING_CODE_NOT_FOUND')
      ) {
        return { kind: 'expired' };
      }
      if (response.status === 429) {
        return { kind: 'slow_down', afterMs: response.retryAfterMs ?? 0 };
      }
      if (response.status === 202) {
        const pending = parseData(pairingPendingResponse, path, response);
        return { kind: 'pending', intervalMs: Math.max(1, pending.interval) * 1_000 };
      }
      const paired = parseData(pairingTokenResponse, path, response);
      deps.onSecret('device token', paired.device_token);
      return {
        kind: 'paired',
        identity: { deviceId: paired.device_id, deviceToken: paired.device_token },
      };
    },
    async probe(signal) {
      const began = performance.now();
      // Without a token every cloud refuses this with its own error envelope, which is enough to recognize it.
      const path = '/v1/player/manifest';
      const response = await callCloud(http, { method: 'GET', path, signal });
      const roundTripMs = performance.now() - began;
      if (response.status >= 500 || response.status === 429) {
        throw toRefusalFault(path, response);
      }
      const serverMs = response.serverMs;
      return { roundTripMs, clockOffsetMs: serverMs === null ? null : clockOffsetMs(serverMs, roundTripMs) };
    },
    createDeviceLink(token) {
      deps.onSecret('device token', token);
      return createDeviceLink(deps, http, token);
    },
  };
}

/** The `Date` header has whole seconds, so the best estimate adds half a second and half of the round trip. */
const clockOffsetMs = (serverMs: number, roundTripMs: number): number =>
  Math.round(Date.now() - roundTripMs / 2 - (serverMs + 500));

type PostToCloud = (
  path: string,
  body: object,
  signal: AbortSignal,
) => ReturnType<DeviceLink['reportCommandStatus']>;

function createDeviceLink(deps: CloudLinkDeps, http: CloudHttpDeps, token: string): DeviceLink {
  /** Of the last socket that takes heartbeats. */
  let socketHeartbeats: SocketHeartbeats | null = null;
  /** Sends what has no answer but that it has arrived. */
  const post: PostToCloud = async (path, body, signal) => {
    const response = await callCloud(http, { method: 'POST', path, token, body, signal });
    if (isUnpaired(response)) {
      return { kind: 'unpaired' };
    }
    const refused = findPermanentRefusal(response);
    if (refused) {
      return refused;
    }
    parseData(z.unknown(), path, response);
    return { kind: 'ok' };
  };
  return {
    async fetchManifest(knownRevision, signal) {
      const path = '/v1/player/manifest';
      const headers = knownRevision === null ? {} : { 'if-none-match': `"${knownRevision}"` };
      const response = await callCloud(http, { method: 'GET', path, token, headers, signal });
      if (isUnpaired(response)) {
        return { kind: 'unpaired' };
      }
      if (response.status === 304) {
        return { kind: 'unchanged' };
      }
      const read = parseManifest(parseData(z.unknown(), path, response));
      if (!read) {
        throw new Fault('cloud.not_placard', 'later', { path, problem: 'not a manifest' });
      }
      return { kind: 'manifest', manifest: read };
    },
    async sendHeartbeat(body, signal) {
      const acknowledged = await socketHeartbeats?.send(body, signal);
      if (acknowledged) {
        return { kind: 'ok', response: acknowledged };
      }
      const path = '/v1/player/heartbeats';
      const began = performance.now();
      const response = await callCloud(http, { method: 'POST', path, token, body, signal });
      if (isUnpaired(response)) {
        return { kind: 'unpaired' };
      }
      const parsed = parseData(lenientHeartbeatResponse, path, response);
      deps.onServerTime(Date.parse(parsed.server_time), performance.now() - began);
      return { kind: 'ok', response: { ...parsed, commands: readCommands(parsed.commands, deps.log) } };
    },
    async sendPlays(plays, signal) {
      const path = '/v1/player/plays';
      const response = await callCloud(http, { method: 'POST', path, token, body: { plays }, signal });
      if (isUnpaired(response)) {
        return { kind: 'unpaired' };
      }
      return (
        findPermanentRefusal(response) ?? { kind: 'ok', response: parseData(playsResponse, path, response) }
      );
    },
    reportCommandStatus: (id, status, signal) =>
      post(`/v1/player/commands/${encodeURIComponent(id)}/status`, status, signal),
    sendScreenshot: (body, signal) => post('/v1/player/screenshots', body, signal),
    sendLogs: (body, signal) => post('/v1/player/logs', body, signal),
    answerLive: (body, signal) => post('/v1/player/live', body, signal),
    sendCapabilities: (body, signal) => post('/v1/player/capabilities', body, signal),
    async openSocket(socket, signal) {
      const url = `${http.server.replace(/^http/, 'ws')}/v1/player/socket`;
      try {
        const onHeartbeats = (heartbeats: SocketHeartbeats) => {
          socketHeartbeats = heartbeats;
        };
        return await runSocket({ ...deps, ...socket, url, token, onHeartbeats }, signal);
      } catch (error) {
        throw toNetworkFault(error, { path: '/v1/player/socket' });
      }
    },
  };
}
