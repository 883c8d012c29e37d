import { z } from 'zod';
import { commandStatusRequest } from '../player/command.ts';
import { heartbeatRequest, heartbeatResponse } from '../player/heartbeat.ts';
import { manifest } from '../player/manifest.ts';
import {
  pairingPendingResponse,
  pairingStartRequest,
  pairingStartResponse,
  pairingTokenRequest,
  pairingTokenResponse,
} from '../player/pairing.ts';
import { playsRequest, playsResponse } from '../player/play.ts';
import { wireId } from '../primitives.ts';
import { commandStatus } from './commands.ts';
import { idParams } from './fields.ts';
import { operation } from './operation.ts';

const tag = 'Player';
const sample = {
  measured_at: '2026-11-20T08:00:00.000Z',
  cpu_percent: 12.5,
  memory_percent: 41,
  disk_percent: 20,
  temperature_celsius: null,
  wifi_signal_dbm: -54,
};

/** The player's side of the wire. Bodies are read leniently: a newer player may send fields we do not know. */
export const playerOperations = {
  startPairing: operation({
    id: 'startPairing',
    method: 'POST',
    path: '/v1/player/pairing',
    tag,
    summary: 'A screen asks for a code to show',
    description:
      'The same screen asking again gets the same live session: the one of its serial and `screen_secret`, or, without a secret, of its serial and address. At most 60 starts in 10 minutes for one IPv4 address or one /64 of IPv6, and 6,000 in all: more are 429; a live session is given even then. While 5,000 screens wait already it is 503 with `Retry-After` 60, unless an address that has more than 10 of them gives up its oldest. At most 8 kB of `hardware` are kept. A session ends, and is forgotten, 15 minutes after its start.',
    access: 'Public',
    body: pairingStartRequest,
    data: pairingStartResponse,
    example: {
      body: {
        serial: 'SN-0001',
        platform: 'linux',
        player_version: '0.1.0',
        screen_secret: 'h3N0c2VjcmV0LW9mLXRoaXMtc2NyZWVuLW9ubHk',
      },
      data: {
        pairing_id: 'pair_01kzgm8q2c7d0vqk3m4a5b6c7d',
        poll_token: 'q6Wm…',
        code: 'BCD-FGH',
        verification_url: 'https://signage.example/pair',
        verification_url_complete: 'https://signage.example/pair?code=BCD-FGH',
        expires_at: '2026-11-20T08:15:00.000Z',
        interval: 2,
      },
    },
  }),
  pollPairing: operation({
    id: 'pollPairing',
    method: 'POST',
    path: '/v1/player/pairing/{id}/token',
    tag,
    summary: 'Has somebody confirmed the code? 202 not yet, 200 with the device token',
    access: 'Public',
    params: idParams,
    body: pairingTokenRequest,
    data: z.union([pairingTokenResponse, pairingPendingResponse]),
    otherStatuses: [202],
    errors: ['PAIRING_CODE_NOT_FOUND', 'PAIRING_EXPIRED'],
    example: {
      body: { poll_token: 'q6Wm…' },
      data: { device_id: 'dev_01kzgm8q2c7d0vqk3m4a5b6c7d', device_token: 'pld_9f…' },
    },
  }),
  getManifest: operation({
    id: 'getManifest',
    method: 'GET',
    path: '/v1/player/manifest',
    tag,
    summary: 'All that offline play needs; ETag is the revision, 304 when unchanged',
    access: 'Device',
    data: manifest,
    otherStatuses: [304],
    example: {
      data: {
        revision: '1f0e5ac2d7b84c3a9e6f',
        organization: { timezone: 'Europe/Berlin' },
        device: { id: 'dev_01kzgm8q2c7d0vqk3m4a5b6c7d', name: 'Counter left', orientation: 'landscape' },
        base_playlist_id: null,
        schedules: [],
        playlists: [],
        assets: [],
        timezones: {
          version: '2026c',
          zones: {
            'Europe/Berlin': {
              from: '2025-12-31T00:00:00.000Z',
              until: '2029-01-01T00:00:00.000Z',
              offset: 3600,
              transitions: [
                { at: '2026-03-29T01:00:00.000Z', offset: 7200 },
                { at: '2026-10-25T01:00:00.000Z', offset: 3600 },
              ],
            },
          },
        },
        media_hosts: ['signage.example'],
      },
    },
  }),
  sendHeartbeats: operation({
    id: 'sendHeartbeats',
    method: 'POST',
    path: '/v1/player/heartbeats',
    tag,
    summary: 'Readings and state; answers with what the device should do',
    description:
      'Readings that are not counted are dropped, and the answer is 200: new ones beyond the 100,000 that may come in from a device on one day (UTC), those older than 732 days, and those more than a day ahead. Facts of a fault over 4 KiB are replaced by a note; from the fault on with which all facts of a heartbeat are over 16 KiB, faults lose their `facts`.',
    access: 'Device',
    body: heartbeatRequest,
    data: heartbeatResponse,
    example: {
      body: {
        samples: [sample],
        state: {
          player_version: '0.1.0',
          shell: 'chromium',
          uptime_seconds: 3600,
          applied_manifest_revision: null,
          current: null,
          storage: { cache_bytes: 0, free_bytes: null, assets_held: 0, assets_missing: 0 },
          faults: [],
          frames: { drawn: 1_500, dropped: 2 },
          tz_version: '2026c',
        },
      },
      data: {
        server_time: '2026-11-20T08:00:00.000Z',
        manifest_revision: '1f0e5ac2d7b84c3a9e6f',
        commands: [],
        next_heartbeat_in: 60,
      },
    },
  }),
  sendPlays: operation({
    id: 'sendPlays',
    method: 'POST',
    path: '/v1/player/plays',
    tag,
    summary: 'What was shown; the same play sent twice counts once',
    description:
      'At most 100,000 plays of one device and day (UTC, by `started_at`), and none from before what is kept (731 days unless the cloud is told otherwise): what is over is named in `rejected`. At most 259,200 new ones a day come in: further requests are 429 `RATE_LIMITED` with `details.reason` `plays_quota`, and nothing of them is lost.',
    access: 'Device',
    body: playsRequest,
    data: playsResponse,
    example: {
      body: {
        plays: [
          {
            id: 'play_01kzgm8q2c7d0vqk3m4a5b6c7d',
            content_id: 'asset_01kzgm8q2c7d0vqk3m4a5b6c7d',
            playlist_id: 'pl_01kzgm8q2c7d0vqk3m4a5b6c7d',
            schedule_id: null,
            rule_id: null,
            started_at: '2026-11-20T08:00:00.000Z',
            ended_at: '2026-11-20T08:00:10.000Z',
            duration_ms: 10_000,
            outcome: 'completed',
            reason: null,
          },
        ],
      },
      data: { accepted: ['play_01kzgm8q2c7d0vqk3m4a5b6c7d'], rejected: [] },
    },
  }),
  reportCommand: operation({
    id: 'reportCommand',
    method: 'POST',
    path: '/v1/player/commands/{id}/status',
    tag,
    summary: 'What became of a command',
    access: 'Device',
    params: idParams,
    body: commandStatusRequest,
    data: z.object({ id: wireId, status: commandStatus }),
    errors: ['COMMAND_NOT_FOUND'],
    example: {
      body: { status: 'succeeded' },
      data: { id: 'cmd_01kzgm8q2c7d0vqk3m4a5b6c7d', status: 'succeeded' },
    },
  }),
};
