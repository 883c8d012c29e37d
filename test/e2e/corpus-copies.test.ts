import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { CloudApi } from '../../scripts/start/cloud-api.ts';
import { CORPUS, FILES_DIR, isPlayable } from '../corpus/corpus.ts';
import { problemsOfPattern } from '../corpus/look.ts';
import { createCloudAndPlayer } from '../support/cloud-and-player.ts';
import type { CloudAndPlayer } from '../support/cloud-and-player.ts';
import { waitUntil } from '../support/wait-until.ts';

/** What the bundled Chromium cannot decode. They are upright and lying in turns, so that no picture is taken for the one before. */
const FILES = CORPUS.filter(isPlayable).filter(({ name }) => name.includes('hevc'));

/** A cloud makes copies at a low priority, and a player reports what it can decode within a minute. */
const TIMEOUT_MS = 180_000;
/** A Read key may make 100 requests a minute. */
const CLOUD_POLL_INTERVAL_MS = 1_000;

const withId = z.object({ id: z.string() });
const renditions = z.array(z.object({ state: z.string(), failure: z.unknown() }));
const playable = z.object({
  decoders: z.array(z.object({ codec: z.string(), bit_depth: z.int(), supported: z.boolean() })).nullable(),
  hardware: z.object({
    memory_total: z.int(),
    displays: z.array(z.object({ width: z.int(), height: z.int() })).optional(),
  }),
});
const deployment = z.object({ warnings: z.array(z.unknown()) });

let system: CloudAndPlayer;
let reader: CloudApi;
let deviceId: string;
/** The content of each file, by its name. */
const contentIds = new Map<string, string>();

beforeAll(async () => {
  system = await createCloudAndPlayer();
  await system.startCloud();
  reader = await system.createReaderApi();
  await system.api.patch('/v1/organization', { renditions: 'on_demand' });
  system.startPlayer();
  for (const { name } of FILES) {
    const { id } = await system.api.upload(withId, join(FILES_DIR, name), '');
    await system.api.post(z.unknown(), `/v1/content/${id}/renditions`, {});
    contentIds.set(name, id);
  }
  const { code } = await waitUntil(
    'a pairing code',
    async () => {
      const status = await system.readStatus();
      return status.code ? status : null;
    },
    TIMEOUT_MS,
  );
  ({ id: deviceId } = await system.api.post(withId, '/v1/devices/pair', { code, name: 'Without HEVC' }));
}, TIMEOUT_MS);
afterAll(() => system.close());

test('the player reports its display, and that it cannot decode HEVC', { timeout: TIMEOUT_MS }, async () => {
  const { decoders, hardware } = await waitUntil(
    'the report',
    async () => {
      const device = await reader.get(playable, `/v1/devices/${deviceId}`);
      return device.decoders && { ...device, decoders: device.decoders };
    },
    TIMEOUT_MS,
    CLOUD_POLL_INTERVAL_MS,
  );
  const usual = decoders.filter(({ bit_depth }) => bit_depth === 8);
  expect(usual.map(({ supported }) => supported)).toEqual(usual.map(({ codec }) => codec !== 'hevc'));
  const hevc = decoders.filter(({ codec }) => codec === 'hevc');
  expect(hevc.length).toBeGreaterThan(0);
  expect(hevc.filter(({ supported }) => supported)).toEqual([]);
  expect(hardware.displays).toHaveLength(1);
  expect(hardware.memory_total).toBeGreaterThan(0);
});

test.each(FILES)(
  '$name ($is): the player shows its copy',
  { timeout: 2 * TIMEOUT_MS },
  async ({ name, answer }) => {
    const contentId = contentIds.get(name);
    await waitUntil(
      'the copy',
      async () => {
        const made = await reader.get(renditions, `/v1/content/${contentId}/renditions`);
        return made[0]?.state === 'ready' || made[0]?.state === 'failed' ? made : null;
      },
      TIMEOUT_MS,
      CLOUD_POLL_INTERVAL_MS,
    ).then((made) => expect(made).toEqual([{ state: 'ready', failure: null }]));
    const items = [{ content_id: contentId }];
    const playlist = await system.api.post(withId, '/v1/playlists', { name, items });
    const targets = [{ type: 'device', id: deviceId }];
    const { warnings } = await system.api.post(deployment, `/v1/playlists/${playlist.id}/deploy`, {
      targets,
    });
    expect(warnings).toEqual([]);

    await waitUntil(
      'it to play',
      async () => (await system.readStatus()).now_playing?.content_id === contentId,
      TIMEOUT_MS,
    );
    const { width, height } = answer;
    await waitUntil(
      'its picture on the screen',
      async () => {
        const problems = await problemsOfPattern(await readFile(system.snapshot), {
          shown: { width, height },
        });
        if (problems.length > 0) {
          throw new Error(problems.join('\n'));
        }
        return true;
      },
      TIMEOUT_MS,
    );
    const { faults } = await system.readStatus();
    expect(faults.filter(({ code }) => code.startsWith('playback.'))).toEqual([]);
  },
);
