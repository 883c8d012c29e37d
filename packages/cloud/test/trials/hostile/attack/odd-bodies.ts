import type { AttackRequest, AttackContext } from './attack-context.ts';

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const json = { 'content-type': 'application/json' };

const post = (path: string, more: Partial<AttackRequest>): AttackRequest => ({
  attack: 'odd bodies',
  method: 'POST',
  path,
  ...more,
});
const heartbeat = (more: object) => ({
  samples: [],
  state: {
    player_version: '1',
    shell: 'headless',
    uptime_seconds: 1,
    applied_manifest_revision: null,
    current: null,
    storage: { cache_bytes: 0, free_bytes: null, assets_held: 0, assets_missing: 0 },
    faults: [],
    ...more,
  },
});
const play = (id: string) => ({
  id,
  content_id: 'asset_x',
  playlist_id: null,
  schedule_id: null,
  rule_id: null,
  started_at: new Date(Date.now() - 60_000).toISOString(),
  ended_at: new Date(Date.now() - 50_000).toISOString(),
  duration_ms: 10_000,
  outcome: 'completed',
  reason: 'r'.repeat(190),
});

/** Sends bodies, headers and paths that are too large, too deeply nested, or have too many entries. */
export async function sendOddBodies(context: AttackContext): Promise<void> {
  const { config, random } = context;
  const [key = ''] = config.writeKeys;
  const token = config.deviceToken;
  let n = 0;
  // Few of them use the Write key: it has 30 requests a minute, and most of them are for rules.
  const bodies: [string, () => AttackRequest][] = [
    [
      '900 kB of revision',
      () =>
        post('/v1/player/heartbeats', {
          key: token,
          json: heartbeat({ applied_manifest_revision: 'r'.repeat(900_000) }),
        }),
    ],
    [
      'a revision of 200 characters',
      () =>
        post('/v1/player/heartbeats', {
          key: token,
          json: heartbeat({ applied_manifest_revision: 'r'.repeat(200), player_version: 'v'.repeat(50) }),
        }),
    ],
    [
      '500 plays without a device token',
      () =>
        post('/v1/player/plays', {
          key: token,
          json: {
            plays: Array.from({ length: 500 }, () => play(`play_hostile${String(n++).padStart(9, '0')}`)),
          },
        }),
    ],
    [
      'malformed plays',
      () =>
        post('/v1/player/plays', {
          key: token,
          json: { plays: Array.from({ length: 500 }, () => ({ id: {}, x: deep(50) })) },
        }),
    ],
    [
      '1,000 samples',
      () =>
        post('/v1/player/heartbeats', {
          key: token,
          json: {
            ...heartbeat({}),
            samples: Array.from({ length: 1000 }, (_, i) => ({
              measured_at: new Date(Date.now() - i * 60_000 - random.below(60_000)).toISOString(),
              cpu_percent: 1,
              memory_percent: 1,
              disk_percent: 1,
              temperature_celsius: null,
              wifi_signal_dbm: null,
            })),
          },
        }),
    ],
    ['deep JSON without a key', () => post('/v1/player/pairing', { headers: json, body: deep(60_000) })],
    [
      'deep JSON',
      () => post('/v1/player/plays', { key: token, headers: json, body: `{"plays":${deep(500_000)}}` }),
    ],
    [
      'JSON with many fields',
      () =>
        post('/v1/player/plays', {
          key: token,
          headers: json,
          body: `{${Array.from({ length: 70_000 }, (_, i) => `"k${i}":1`).join(',')}}`,
        }),
    ],
    [
      'JSON over the limit',
      () => post('/v1/player/pairing', { headers: json, body: `"${'x'.repeat(4_000_000)}"` }),
    ],
    [
      'a store with a body of 1 MB',
      () =>
        post('/v1/stores', {
          key,
          json: { name: 'hostile', tags: Array.from({ length: 60_000 }, (_, i) => `tag ${i}`) },
        }),
    ],
    [
      'headers of 15 kB',
      () => ({
        attack: 'odd bodies',
        method: 'GET',
        path: '/healthz',
        headers: { 'x-junk': 'j'.repeat(15_000) },
      }),
    ],
    ['a path of 14 kB', () => ({ attack: 'odd bodies', method: 'GET', path: `/v1/${'../'.repeat(4_500)}` })],
    [
      'public pages',
      () => ({
        attack: 'public pages',
        method: 'GET',
        path: random.pick(['/openapi.json', '/docs', '/pair']),
      }),
    ],
  ];
  while (await context.pause(config.pressure.oddBodyMs)) {
    const [what, make] = random.pick(bodies);
    context.logActivity(what);
    void context.sendRequest(make());
  }
}
