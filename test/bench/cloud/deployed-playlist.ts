import { resolve } from 'node:path';
import { z } from 'zod';
import { createCloudApi } from '../../../scripts/start/cloud-api.ts';

const PICTURE = resolve(import.meta.dirname, '../../media/sample-menu-1080x1920.png');
const withId = z.object({ id: z.string() });

/**
 * Uploads a picture and deploys a playlist of it to the devices with this tag. Returns a function that changes how long
 * the picture is shown, in seconds: each change is a new manifest for these devices. It may be given another key.
 */
export async function deployPlaylist(
  cloud: { url: string; adminKey: string },
  tag: string,
): Promise<(seconds: number, key?: string) => Promise<unknown>> {
  const api = createCloudApi(cloud.url, cloud.adminKey);
  const { id: content_id } = await api.upload(withId, PICTURE, '');
  const { id } = await api.post(withId, '/v1/playlists', {
    name: `shown by ${tag}`,
    mode: 'sequential',
    items: [{ content_id, duration: 10 }],
  });
  await api.post(z.unknown(), `/v1/playlists/${id}/deploy`, { targets: [{ type: 'tag', value: tag }] });
  return (seconds, key = cloud.adminKey) =>
    createCloudApi(cloud.url, key).patch(`/v1/playlists/${id}`, {
      items: [{ content_id, duration: seconds }],
    });
}
