import { z } from 'zod';
import { DEFAULT_DISPLAY } from '../display-options.ts';
import { toWireDisplay } from '../display.ts';
import { capabilitiesReport } from '../player/capabilities.ts';
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
import { liveAnswer } from '../player/live.ts';
import { logsUpload } from '../player/device-logs.ts';
import { screenshotUpload } from '../player/screenshot.ts';
import { timestamp, wireId } from '../primitives.ts';
import { commandStatus } from './commands.ts';
import { exampleVideoCapability } from './decoders.ts';
import { exampleSample } from './devices.ts';
import { idParams } from './fields.ts';
import { operationsOf } from './operation.ts';

const define = operationsOf('Player');

/** The player's operations. Bodies are parsed leniently: a newer player may send unknown fields. */
export const playerOperations = {
  startPairing: define('startPairing', 'POST', '/v1/player/pairing', {
    summary: 'Start pairing: get a code to show on the screen',
    description:
      'A device that asks again gets its open session, which is identified by serial and `screen_secret`, or without a secret by serial and IP address. At most 60 starts in 10 minutes per IPv4 address or IPv6 /64, and 6,000 in all; more are 429, but an open session is still returned. While 5,000 sessions are open it is 503 with `Retry-After` 60, unless an address has more than 10 of them: then its oldest is dropped. At most 8 kB of `hardware` are stored. A session is deleted 15 minutes after its start.',
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
  pollPairing: define('pollPairing', 'POST', '/v1/player/pairing/{id}/token', {
    summary: 'Poll for the device token: 202 until the code is confirmed, then 200',
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
  getManifest: define('getManifest', 'GET', '/v1/player/manifest', {
    summary: 'The manifest: everything for offline playback; the ETag is the revision, 304 when unchanged',
    access: 'Device',
    data: manifest,
    otherStatuses: [304],
    example: {
      data: {
        revision: '1f0e5ac2d7b84c3a9e6f',
        organization: { timezone: 'Europe/Berlin' },
        device: {
          id: 'dev_01kzgm8q2c7d0vqk3m4a5b6c7d',
          name: 'Counter left',
          orientation: 'landscape',
          display: toWireDisplay(DEFAULT_DISPLAY),
          menu_pin_hash: null,
        },
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
  sendHeartbeats: define('sendHeartbeats', 'POST', '/v1/player/heartbeats', {
    summary: 'Report samples and state; the response carries the target revision and waiting commands',
    description:
      'Some samples are dropped without an error: new ones beyond 100,000 per device and day (UTC), those older than 732 days, and those more than a day in the future. `facts` of a fault over 4 KiB are replaced by a note; once the `facts` of a heartbeat exceed 16 KiB in all, that fault and the following lose theirs.',
    access: 'Device',
    body: heartbeatRequest,
    data: heartbeatResponse,
    example: {
      body: {
        samples: [exampleSample],
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
  sendPlays: define('sendPlays', 'POST', '/v1/player/plays', {
    summary: 'Report plays; a play that is sent twice counts once',
    description:
      'At most 100,000 plays per device and day (UTC, by `started_at`) are stored, and none older than the retention time (731 days by default); others are listed in `rejected`. At most 259,200 new plays are accepted per device and day: further requests are 429 `RATE_LIMITED` with `details.reason` `plays_quota`; send them again later.',
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
  sendScreenshot: define('sendScreenshot', 'POST', '/v1/player/screenshots', {
    summary:
      'Send what the screen shows, as the command `SCREENSHOT` or the settings ask for, or because a fault began',
    description:
      'The newest picture of a device replaces the one before. A picture that nobody waits for is 404: it was not asked for, or comes too late or, without `command_id`, too early. Those of faults are kept apart.',
    access: 'Device',
    body: screenshotUpload,
    data: z.object({ taken_at: timestamp }),
    errors: ['COMMAND_NOT_FOUND', 'INSUFFICIENT_STORAGE'],
    example: {
      body: {
        command_id: 'cmd_01kzgm8q2c7d0vqk3m4a5b6c7d',
        taken_at: '2026-11-20T08:00:01.000Z',
        current: null,
        image: '/9j/2Q==',
      },
      data: { taken_at: '2026-11-20T08:00:01.000Z' },
    },
  }),
  sendLogs: define('sendLogs', 'POST', '/v1/player/logs', {
    summary: 'Send logs and status, as the command `LOGS` asked for',
    description:
      'The newest logs of a device replace the ones before. Logs that nobody has asked for, or too late, are 404.',
    access: 'Device',
    body: logsUpload,
    data: z.object({ taken_at: timestamp }),
    errors: ['COMMAND_NOT_FOUND', 'INSUFFICIENT_STORAGE'],
    example: {
      body: {
        command_id: 'cmd_01kzgm8q2c7d0vqk3m4a5b6c7d',
        taken_at: '2026-11-20T08:00:01.000Z',
        bundle: 'H4sIAAAAAAAAA6tWSsvMSS1WsqqOrtUBAM1k3CcPAAAA',
      },
      data: { taken_at: '2026-11-20T08:00:01.000Z' },
    },
  }),
  answerLive: define('answerLive', 'POST', '/v1/player/live', {
    summary:
      'Answer a `live_request`: what the screen shows now, the newest lines of the log, or why there are none',
    description:
      'The answer goes to those who wait for it and is stored nowhere. One that nobody waits for, or not any more, is 404.',
    access: 'Device',
    body: liveAnswer,
    data: z.object({ kind: z.enum(['picture', 'log_lines', 'problem']) }),
    errors: ['COMMAND_NOT_FOUND'],
    example: { body: { kind: 'picture', image: '/9j/2Q==' }, data: { kind: 'picture' } },
  }),
  sendCapabilities: define('sendCapabilities', 'POST', '/v1/player/capabilities', {
    summary: 'Report what the device can play and what it is made of',
    description:
      'After each start, and when the browser reports something else. Classes of videos that this cloud does not know are ' +
      'passed over; `videos` of the answer is how many it knows. At most 8 kB of `hardware` are stored.',
    access: 'Device',
    body: capabilitiesReport,
    data: z.object({ videos: z.int() }),
    example: {
      body: {
        videos: [exampleVideoCapability],
        hardware: { memory_total: 8_000_000_000, displays: [{ name: null, width: 1920, height: 1080 }] },
      },
      data: { videos: 1 },
    },
  }),
  reportCommand: define('reportCommand', 'POST', '/v1/player/commands/{id}/status', {
    summary: 'Report the status of a command',
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
