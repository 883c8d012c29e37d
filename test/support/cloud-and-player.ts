import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { ChannelStats } from 'sharp';
import { z } from 'zod';
import { createCloudApi } from '../../scripts/start/cloud-api.ts';
import type { CloudApi } from '../../scripts/start/cloud-api.ts';
import { descendants, startProgram } from './program.ts';
import type { Program } from './program.ts';
import { waitUntil } from './wait-until.ts';
import { freePort } from './free-port.ts';

/** The fields of the player's `status.json` that the tests read; strict where the format is documented. */
const statusSchema = z.object({
  state: z.enum(['pairing', 'paired']),
  code: z.string().nullable(),
  device_id: z.string().nullable(),
  server: z.string(),
  connection: z.string(),
  held_revision: z.string().nullable(),
  target_revision: z.string().nullable(),
  blocked_by: z.unknown(),
  now_playing: z
    .object({ playlist_id: z.string(), item_id: z.string(), content_id: z.string(), since: z.string() })
    .nullable(),
  next: z.unknown(),
  playing_because: z
    .object({ source: z.string(), schedule_id: z.string().nullable(), rule_id: z.string().nullable() })
    .nullable(),
  faults: z.array(z.object({ code: z.string() })),
});

const logsState = z.object({
  logs: z.object({ files: z.array(z.object({ name: z.string(), url: z.string() })) }).nullable(),
  request: z.object({ id: z.string(), status: z.string() }).nullable(),
});
const newKey = z.object({ key: z.string() });

/** Two busy cores may take long. */
const LOGS_WITHIN_MS = 60_000;
const LOGS_POLL_MS = 1_000;

/** A cloud and a player as real processes, each test with its own data folder. */
export async function createCloudAndPlayer() {
  const data = await mkdtemp(join(tmpdir(), 'placard-house-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const adminKey = 'plk_house-test-admin-key-0123456789';
  const api = createCloudApi(url, adminKey);
  const snapshot = join(data, 'screen.png');
  const playerArgs =
    `--server ${url} --data ${join(data, 'player')} --shell headless --snapshot ${snapshot}`.split(' ');
  const programs: Program[] = [];
  /** Of the last snapshot that was read: to measure one takes longer than the interval at which tests look. */
  let lastStats: { mtimeMs: number; brightness: number; spread: number } | null = null;

  const start = (args: string[], env?: Record<string, string>): Program => {
    const program = startProgram(args, env);
    programs.push(program);
    return program;
  };

  return {
    data,
    url,
    api,
    snapshot,
    /** The same calls with a Read key, which has a higher rate limit. */
    async createReaderApi(): Promise<CloudApi> {
      const { key } = await api.post(newKey, '/v1/api-keys', {
        name: 'looks on',
        scope: 'Read',
      });
      return createCloudApi(url, key);
    },
    async startCloud(): Promise<Program> {
      const cloud = start(
        ['packages/cloud/dist/program/main.js', '--port', String(port), '--data', join(data, 'cloud')],
        { PLACARD_ADMIN_KEY: adminKey },
      );
      await api.waitUntilReady();
      return cloud;
    },
    startPlayer: (args: string[] = []): Program => start(['src/shells/main.ts', ...playerArgs, ...args]),
    readStatus: async () =>
      statusSchema.parse(JSON.parse(await readFile(join(data, 'player/status.json'), 'utf8'))),
    /** The runtime process, a child of a player's shell. */
    findRuntimeProcess: (player: Program) =>
      waitUntil('the runtime process', () =>
        descendants(player.pid).find(({ command }) => command.includes('runtime/main')),
      ),
    /** Mean brightness (0–255) and standard deviation of the snapshot: both are 0 on a black screen. */
    async readSnapshotStats() {
      const { mtimeMs } = await stat(snapshot);
      if (lastStats?.mtimeMs === mtimeMs) {
        return lastStats;
      }
      const { channels } = await sharp(await readFile(snapshot)).stats();
      const mean = (pick: (channel: ChannelStats) => number) =>
        channels.slice(0, 3).reduce((sum, channel) => sum + pick(channel), 0) / 3;
      lastStats = {
        mtimeMs,
        brightness: mean((channel) => channel.mean),
        spread: mean((channel) => channel.stdev),
      };
      return lastStats;
    },
    /** Asks a player for its logs: their texts by the names of the files. */
    async fetchLogs(deviceId: string): Promise<Map<string, string>> {
      const path = `/v1/devices/${deviceId}/logs`;
      const { id } = await api.post(z.object({ id: z.string() }), path, {});
      const files = await waitUntil(
        'the logs',
        async () => {
          const { logs, request } = await api.get(logsState, path);
          return request?.id === id && request.status === 'succeeded' && logs?.files;
        },
        LOGS_WITHIN_MS,
        LOGS_POLL_MS,
      );
      const { key } = await api.post(newKey, '/v1/api-keys', { name: 'logs', scope: 'Write' });
      const texts = files.map(async ({ name, url: at }): Promise<[string, string]> => {
        const response = await fetch(`${url}${at}`, { headers: { authorization: `Bearer ${key}` } });
        if (!response.ok) {
          throw new Error(`${name} cannot be read: ${response.status}`);
        }
        return [name, await response.text()];
      });
      return new Map(await Promise.all(texts));
    },
    async close(): Promise<void> {
      for (const program of programs) {
        program.signal('SIGTERM');
      }
      const ended = Promise.all(programs.map((program) => program.ended));
      const killTimer = setTimeout(() => programs.forEach((program) => program.signal('SIGKILL')), 10_000);
      await ended;
      clearTimeout(killTimer);
      await rm(data, { recursive: true, force: true });
    },
  };
}

export type CloudAndPlayer = Awaited<ReturnType<typeof createCloudAndPlayer>>;
