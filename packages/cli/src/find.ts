import type { Pages, PlacardClient } from '@placard/client';
import { nearNames, partsOf } from './near-names.ts';
import { UsageError } from './output/failure.ts';

interface Named {
  id: string;
  name: string;
}

/** What can be called by id or name; `list` has those with `search` in their name, and may have others. */
interface Kind {
  noun: string;
  prefix: string;
  list: (placard: PlacardClient, search: string) => Pages<Named>;
}

/** The id of what the user calls by id or by its whole name. */
async function findId({ noun, prefix, list }: Kind, placard: PlacardClient, text: string): Promise<string> {
  if (text.startsWith(prefix)) {
    return text;
  }
  const found: Named[] = [];
  const similar = new Set<string>();
  for await (const each of list(placard, text)) {
    similar.add(each.name);
    if (each.name.toLowerCase() === text.toLowerCase()) {
      found.push(each);
    }
  }
  const [first] = found;
  if (!first) {
    // The suggestion must not hide what is wrong.
    await addSimilar(similar, text, (part) => list(placard, part)).catch(() => {});
    const near = nearNames(text, similar).map((name) => `"${name}"`);
    const question = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
    throw new UsageError(`No ${noun} is named "${text}".${question}`, 'notFound');
  }
  if (found.length > 1) {
    throw new UsageError(`Several are called "${text}"; use an id: ${found.map(({ id }) => id).join(', ')}.`);
  }
  return first.id;
}

/** Adds names that have a part of the text; of each search only the first page is read. */
async function addSimilar(
  names: Set<string>,
  text: string,
  list: (search: string) => Pages<Named>,
): Promise<void> {
  for (const part of partsOf(text)) {
    for await (const { data } of list(part).pages()) {
      data.forEach(({ name }) => names.add(name));
      break;
    }
  }
}

const finder = (kind: Kind) => (placard: PlacardClient, text: string) => findId(kind, placard, text);

/** Accept a name wherever the API wants an id. */
export const findDevice = finder({
  noun: 'device',
  prefix: 'dev_',
  list: ({ devices }, search) => devices.list({ search }),
});
export const findAsset = finder({
  noun: 'content',
  prefix: 'asset_',
  list: ({ content }, search) => content.list({ search }),
});
export const findPlaylist = finder({
  noun: 'playlist',
  prefix: 'pl_',
  list: ({ playlists }, search) => playlists.list({ search }),
});
export const findSchedule = finder({
  noun: 'schedule',
  prefix: 'sch_',
  list: ({ schedules }, search) => schedules.list({ search }),
});
export const findStore = finder({
  noun: 'store',
  prefix: 'store_',
  list: ({ stores }, search) => stores.list({ search }),
});
export const findFolder = finder({
  noun: 'folder',
  prefix: 'folder_',
  list: ({ folders }) => folders.list(),
});
export const findAlertRule = finder({
  noun: 'rule for alerts',
  prefix: 'arule_',
  list: ({ alerts }) => alerts.listRules(),
});
