import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { CloudApi } from './cloud-api.ts';

const namedResource = z.object({ id: z.string(), name: z.string() });
const asset = namedResource.extend({ type: z.enum(['image', 'video']) });

const EVERY_DAY = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

/**
 * Fills an empty cloud with the sample media, one playlist per mode and a schedule, through the public API. Existing
 * ones (by name) are kept unchanged, so a second start changes nothing.
 *
 * @returns names by id, for printing what is on the screen
 */
export async function seedSamples(api: CloudApi, mediaFolder: string) {
  const contents = new Map(
    (await api.get(z.array(asset), '/v1/content?limit=100&tag=sample')).map((entry) => [entry.name, entry]),
  );
  for (const file of (await readdir(mediaFolder)).filter((name) => name.startsWith('sample-')).toSorted()) {
    if (!contents.has(file)) {
      contents.set(file, await api.upload(asset, join(mediaFolder, file), 'sample'));
    }
  }

  const assets = [...contents.values()];
  const playlists = new Map(
    (await api.get(z.array(namedResource), '/v1/playlists?limit=100')).map((entry) => [entry.name, entry]),
  );
  for (const [mode, name] of [
    ['sequential', 'Samples in order'],
    ['shuffle', 'Samples shuffled'],
    ['weighted', 'Samples, pictures more often'],
  ] as const) {
    if (playlists.has(name)) {
      continue;
    }
    const items = assets.map(({ id: content_id, type }) => ({
      content_id,
      ...(type === 'image' ? { duration: 6 } : {}),
      ...(mode === 'weighted' ? { weight: type === 'image' ? 3 : 1 } : {}),
    }));
    playlists.set(name, await api.post(namedResource, '/v1/playlists', { name, mode, items }));
  }

  const playlistIdOf = (name: string) => playlists.get(name)?.id;
  const schedules = await api.get(z.array(namedResource), '/v1/schedules?limit=100');
  if (!schedules.some(({ name }) => name === 'Sample day')) {
    await api.patch('/v1/organization', { timezone: Intl.DateTimeFormat().resolvedOptions().timeZone });
    await api.post(namedResource, '/v1/schedules', {
      name: 'Sample day',
      is_active: true,
      targets: [{ type: 'tag', value: 'demo' }],
      rules: [
        {
          playlist_id: playlistIdOf('Samples in order'),
          days: EVERY_DAY,
          start_time: '00:00',
          end_time: '24:00',
          priority: 0,
        },
        {
          playlist_id: playlistIdOf('Samples shuffled'),
          days: EVERY_DAY,
          start_time: '11:30',
          end_time: '14:00',
          priority: 10,
        },
        {
          playlist_id: playlistIdOf('Samples, pictures more often'),
          rrule: 'FREQ=WEEKLY;BYDAY=FR,SA',
          start_time: '18:00',
          end_time: '02:00',
          priority: 20,
        },
      ],
    });
  }

  const byId = (entries: Iterable<z.infer<typeof namedResource>>) =>
    new Map([...entries].map((entry) => [entry.id, entry.name]));
  return { contents: byId(contents.values()), playlists: byId(playlists.values()) };
}
