import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '@placard/protocol/api';
import { z } from 'zod';
import { freePort } from '../../../../../test/support/free-port.ts';
import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';
import { createApi } from '../support/api.ts';
import { makeAdminKey, startCloudProcess } from '../support/cloud-process.ts';
import { assert } from '../support/contract-violation.ts';
import { createHttpClient } from '../support/http-client.ts';
import { createKeyRing } from '../support/key-ring.ts';
import { buildReportedState, pairDevice } from '../support/paired-device.ts';
import { waitFor } from '../support/wait-for.ts';

export interface EventsTrialOptions {
  /** How often screens show something else. */
  changes: number;
  /** How often the cloud is killed, and as often each consumer. */
  kills: number;
  random: SeededRandom;
  onStep?: (step: string) => void;
}

export interface EventsReport {
  changes: number;
  kills: number;
  consumerKills: number;
  /** Heartbeats that were sent again because their answer was lost. */
  retries: number;
}

/** Fewer changes a day than are recorded of a device. */
const MAX_CHANGES_PER_SCREEN = 500;
/** 300 heartbeats a minute are allowed. */
const HEARTBEAT_EVERY_MS = 210;
const MODES = ['stream', 'list'] as const;

const line = z.object({
  type: z.string(),
  resource: z.string(),
  data: z.object({ now_playing: z.object({ playlist_id: z.string() }).optional() }),
});

/**
 * Screens show something else again and again, while the cloud and two consumers of events are killed: one reads the stream, the
 * other the list. In the end each consumer must have each change once, in the order in which its screen reported it.
 */
export async function eventsTrial({
  changes,
  kills,
  random,
  onStep,
}: EventsTrialOptions): Promise<EventsReport> {
  const folder = await mkdtemp(join(tmpdir(), 'placard-events-'));
  const options = { dataDir: join(folder, 'cloud'), port: await freePort(), adminKey: makeAdminKey() };
  let cloud = await startCloudProcess(options);
  const client = createHttpClient({ url: cloud.url });
  const ring = createKeyRing({ client, adminKey: options.adminKey });
  const api = createApi({ client, key: () => ring.take() });
  const consumers: Consumer[] = [];
  const report: EventsReport = { changes: 0, kills: 0, consumerKills: 0, retries: 0 };
  try {
    const screens = [];
    for (let n = 0; n < Math.max(1, Math.ceil(changes / MAX_CHANGES_PER_SCREEN)); n++) {
      screens.push(await pairDevice(api, `screen ${n}`));
    }
    for (const mode of MODES) {
      const { key } = await api.expectSuccess(operations.createApiKey, {
        body: { name: mode, scope: 'Read' },
      });
      consumers.push(createConsumer({ url: cloud.url, key, mode, journal: join(folder, mode) }));
    }

    const reportPlaylist = async ({ token }: { token: string }, playlist: string): Promise<void> => {
      const current = {
        playlist_id: playlist,
        item_id: 'item_1',
        content_id: 'asset_1',
        since: new Date().toISOString(),
      };
      for (;;) {
        const answer = await client
          .send({
            method: 'POST',
            path: '/v1/player/heartbeats',
            key: token,
            json: { samples: [], state: { ...buildReportedState(), current } },
          })
          .catch(() => null);
        if (answer?.status === 200) {
          report.changes += 1;
          return;
        }
        report.retries += 1;
        await sleep(HEARTBEAT_EVERY_MS);
      }
    };
    const perScreen = Math.ceil(changes / screens.length);
    const reporting = screens.map(async (screen) => {
      for (let n = 1; n <= perScreen; n++) {
        await reportPlaylist(screen, `pl_${n}`);
        await sleep(HEARTBEAT_EVERY_MS);
      }
    });
    const killing = (async () => {
      const pauseMs = (perScreen * HEARTBEAT_EVERY_MS) / (kills + 1);
      while (report.kills < kills) {
        await sleep(random.int(Math.floor(pauseMs / 2), Math.ceil(pauseMs)));
        await cloud.kill9();
        report.kills += 1;
        cloud = await startCloudProcess(options);
        for (const consumer of consumers) {
          await sleep(random.int(0, 100));
          await consumer.kill();
          report.consumerKills += 1;
        }
        onStep?.(`${report.kills} kills, ${report.changes} changes`);
      }
    })();
    await Promise.all([...reporting, killing]);

    const expected = Array.from({ length: perScreen }, (_, n) => `pl_${n + 1}`);
    for (const consumer of consumers) {
      await waitFor(
        () => `${consumer.mode} has ${consumer.shown().length} of ${report.changes} changes`,
        () => consumer.shown().length >= report.changes,
      );
      // Nothing comes twice later either.
      await sleep(1_500);
      const shown = Map.groupBy(consumer.shown(), ({ resource }) => resource);
      for (const { deviceId } of screens) {
        const got = (shown.get(deviceId) ?? []).map(({ playlist }) => playlist);
        assert(
          got.join() === expected.join(),
          `${consumer.mode}: each change of ${deviceId} must come once and in order`,
          got,
        );
      }
    }
    return report;
  } finally {
    await Promise.all(consumers.map((consumer) => consumer.stop()));
    await cloud.kill9();
    await client.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Consumer {
  mode: string;
  /** What screens show, in the order of the journal. */
  shown(): { resource: string; playlist: string }[];
  /** Kills it, and starts it again. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function createConsumer(of: { url: string; key: string; mode: string; journal: string }): Consumer {
  const start = () => {
    const script = join(import.meta.dirname, 'consumer.ts');
    return spawn(process.execPath, [script, of.url, of.journal, of.mode], {
      stdio: 'inherit',
      env: { ...process.env, PLACARD_KEY: of.key },
    });
  };
  let child = start();
  const killOnExit = () => child.kill('SIGKILL');
  process.once('exit', killOnExit);
  return {
    mode: of.mode,
    shown() {
      const text = existsSync(of.journal) ? readFileSync(of.journal, 'utf8') : '';
      const lines = text
        .slice(0, text.lastIndexOf('\n') + 1)
        .split('\n')
        .filter(Boolean);
      return lines
        .map((each) => line.parse(JSON.parse(each.slice(each.indexOf(' ') + 1))))
        .filter(({ type }) => type === 'device.now_playing')
        .map(({ resource, data }) => ({ resource, playlist: data.now_playing?.playlist_id ?? '' }));
    },
    async kill() {
      await end(child);
      child = start();
    },
    async stop() {
      process.removeListener('exit', killOnExit);
      await end(child);
    },
  };
}
