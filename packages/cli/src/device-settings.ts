import type { Command } from 'commander';
import { findStore } from './find.ts';
import { UsageError } from './output/failure.ts';
import type { Session } from './session.ts';
import { splitList } from './targets.ts';

const ORIENTATIONS = ['landscape', 'portrait', 'landscape-flipped', 'portrait-flipped'] as const;
type Orientation = (typeof ORIENTATIONS)[number];

/** The options of `withSettings`. */
export interface Settings {
  name?: string;
  store?: string;
  tags?: string[];
  orientation?: Orientation;
}

function parseOrientation(text: string): Orientation {
  const found = ORIENTATIONS.find((each) => each === text);
  if (!found) {
    throw new UsageError(`An orientation is ${ORIENTATIONS.join(', ')}.`);
  }
  return found;
}

export const withSettings = (command: Command): Command =>
  command
    .option('--name <name>', 'what it is called')
    .option('--store <name>', 'the store it stands in; "none" for no store')
    .option('--tags <a,b>', 'its tags, instead of those it has', splitList)
    .option('--orientation <name>', ORIENTATIONS.join(', '), parseOrientation);

/** The settings as the API has them. */
export async function bodyOf({ placard }: Session, { name, store, tags, orientation }: Settings) {
  const storeId = store === undefined || store === 'none' ? null : await findStore(placard, store);
  return {
    ...(name !== undefined && { name }),
    ...(store !== undefined && { store_id: storeId }),
    ...(tags !== undefined && { tags }),
    ...(orientation !== undefined && { orientation }),
  };
}
