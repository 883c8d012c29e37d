import type { Pages, PlacardClient } from '@placard/client';
import { UsageError } from './output/failure.ts';

interface Named {
  id: string;
  name: string;
}

/** The id of what the user calls by id or by its whole name. */
async function findId(kind: string, prefix: string, text: string, list: Pages<Named>): Promise<string> {
  if (text.startsWith(prefix)) {
    return text;
  }
  const found: Named[] = [];
  for await (const each of list) {
    if (each.name.toLowerCase() === text.toLowerCase()) {
      found.push(each);
    }
  }
  const [first] = found;
  if (!first) {
    throw new UsageError(`There is no ${kind} with the name or id "${text}".`, 'notFound');
  }
  if (found.length > 1) {
    throw new UsageError(`Several are called "${text}"; use an id: ${found.map(({ id }) => id).join(', ')}.`);
  }
  return first.id;
}

/** Accept a name wherever the API wants an id. */
export const findDevice = (placard: PlacardClient, text: string): Promise<string> =>
  findId('device', 'dev_', text, placard.devices.list({ search: text }));
export const findAsset = (placard: PlacardClient, text: string): Promise<string> =>
  findId('content', 'asset_', text, placard.content.list({ search: text }));
export const findPlaylist = (placard: PlacardClient, text: string): Promise<string> =>
  findId('playlist', 'pl_', text, placard.playlists.list({ search: text }));
export const findSchedule = (placard: PlacardClient, text: string): Promise<string> =>
  findId('schedule', 'sch_', text, placard.schedules.list());
export const findStore = (placard: PlacardClient, text: string): Promise<string> =>
  findId('store', 'store_', text, placard.stores.list());
export const findFolder = (placard: PlacardClient, text: string): Promise<string> =>
  findId('folder', 'folder_', text, placard.folders.list());
