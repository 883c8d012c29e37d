import { resolve } from 'node:path';
import { z } from 'zod';
import type { CloudApi } from '../../scripts/start/cloud-api.ts';

const MEDIA = ['sample-morning-1920x1080.jpg', 'sample-waves-1280x720.mp4', 'sample-offer-1200x1200.webp'];
const withId = z.object({ id: z.string() });

/** Creates a playlist of two pictures and a video, of so many seconds each. Returns its id. */
export async function createSamplesPlaylist(api: CloudApi, seconds: number): Promise<string> {
  const items = [];
  for (const name of MEDIA) {
    const { id } = await api.upload(withId, resolve('test/media', name), 'sample');
    items.push({ content_id: id, duration: seconds });
  }
  const { id } = await api.post(withId, '/v1/playlists', { name: 'Samples', mode: 'sequential', items });
  return id;
}
