/**
 * How long readers and screens wait while the cloud makes a copy of a 4K video, beside the same load without it.
 * `npm run bench:renditions`.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { loadDecoder } from '../../../packages/cloud/src/media/child/decoder.ts';
import { encodePattern } from '../../../packages/cloud/test/support/video-frames.ts';
import { createCloudApi } from '../../../scripts/start/cloud-api.ts';
import type { Figure } from '../figures.ts';
import { median } from '../median.ts';
import { NotMeasuredError } from '../not-measured.ts';
import type { Settings } from '../settings.ts';
import { createAgents, createCalls } from './everyday-calls.ts';
import { startFleet } from './fleet.ts';
import { createPace } from './pace.ts';

const DEVICES = 20_000;
const HEARTBEATS_PER_DEVICE = 1 / 60;
const READS_PER_SECOND = 20;
const CONNECTIONS = 64;
const FRAMES = 200;
const ROUNDS = 3;
const MAX_WAITING = 2_000;
const POLL_MS = 250;

const withId = z.object({ id: z.string() });
const withStates = z.array(z.object({ state: z.string() }));

export async function measureRenditions(settings: Settings): Promise<Figure[]> {
  const missing = await loadDecoder();
  if (missing !== null) {
    throw new NotMeasuredError(`@mediabunny/server is not installed: ${missing}`);
  }
  const frames = settings.count(FRAMES);
  const video = await encodePattern({ codec: 'avc', width: 3840, height: 2160, frames, frameRate: 30 });
  const fleet = await startFleet(settings.count(DEVICES));
  const agents = createAgents(CONNECTIONS);
  const api = createCloudApi(fleet.cloud.url, fleet.adminKey);
  const folder = mkdtempSync(join(tmpdir(), 'placard-bench-renditions-'));
  const file = join(folder, 'waves.mp4');

  /** Uploads the video once more, with other bytes at its end, and asks for a copy. */
  async function startCopy(): Promise<string> {
    const box = Buffer.alloc(8);
    box.writeUInt32BE(8 + 16);
    box.write('free', 4);
    writeFileSync(file, Buffer.concat([video, box, randomBytes(16)]));
    const { id } = await api.upload(withId, file, '');
    await api.post(z.unknown(), `/v1/content/${id}/renditions`, {});
    return `/v1/content/${id}/renditions`;
  }

  /** Waits until the copy is in another state than these. */
  async function stateAfter(states: readonly string[], copies: string): Promise<string> {
    for (;;) {
      const [{ state } = { state: '' }] = await api.get(withStates, copies);
      if (!states.includes(state)) {
        return state;
      }
      await sleep(POLL_MS);
    }
  }

  try {
    await api.patch('/v1/organization', { renditions: 'on_demand' });
    const calls = createCalls({ ...fleet, urls: [fleet.cloud.url] }, agents);
    const limit = { maxWaiting: MAX_WAITING };
    const heartbeats = createPace(fleet.devices.length * HEARTBEATS_PER_DEVICE, calls.sendHeartbeat, limit);
    const reads = createPace(READS_PER_SECOND, calls.read, limit);
    const run = async () => {
      const [heartbeat, read] = await Promise.all([heartbeats.run(settings.ms), reads.run(settings.ms)]);
      return { heartbeatMs: heartbeat.p99Ms, readMs: read.p99Ms };
    };
    await run();
    const rounds = [];
    for (let round = 0; round < settings.rounds(ROUNDS); round++) {
      const before = await run();
      const beganMs = performance.now();
      const copies = await startCopy();
      await stateAfter(['wanted'], copies);
      const during = await run();
      const state = await stateAfter(['wanted', 'making'], copies);
      if (state !== 'ready') {
        throw new Error(`the copy was not made: ${state}`);
      }
      rounds.push({ before, during, copyMs: performance.now() - beganMs });
    }
    const seconds = median(rounds.map(({ copyMs }) => copyMs)) / 1000;
    return [
      {
        name: `p99 of a reader while a copy of a 4K video is made (${frames} frames)`,
        ours: median(rounds.map(({ during }) => during.readMs)),
        unit: 'ms',
        limit: { name: 'without', value: median(rounds.map(({ before }) => before.readMs)) },
        goal: 1.2,
        detail: `${seconds.toFixed(0)} s for a copy`,
      },
      {
        name: '… of a heartbeat',
        ours: median(rounds.map(({ during }) => during.heartbeatMs)),
        unit: 'ms',
        limit: { name: 'without', value: median(rounds.map(({ before }) => before.heartbeatMs)) },
        goal: 1.2,
      },
    ];
  } finally {
    await agents.destroy();
    await fleet.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
