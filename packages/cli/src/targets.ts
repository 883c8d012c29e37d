import type { PlacardClient, Target } from '@placard/client';
import { findDevice, findStore } from './find.ts';
import { UsageError } from './output/failure.ts';

export const TARGET_HELP = 'tag:TEXT, store:NAME, device:NAME or all; repeat for several';

/** For options that can be given several times. */
export const collect = (value: string, before: string[] = []): string[] => [...before, value];
/** `a,b`. */
export const splitList = (value: string): string[] =>
  value
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);

export async function parseTarget(placard: PlacardClient, text: string): Promise<Target> {
  if (text === 'all') {
    return { type: 'all' };
  }
  const [, type, value = ''] = /^(tag|store|device):(.+)$/.exec(text) ?? [];
  if (type === 'tag') {
    return { type, value };
  }
  if (type === 'store') {
    return { type, id: await findStore(placard, value) };
  }
  if (type === 'device') {
    return { type, id: await findDevice(placard, value) };
  }
  throw new UsageError(`"${text}" is no target: ${TARGET_HELP}.`);
}

export const formatTarget = (target: Target): string =>
  target.type === 'tag'
    ? `tag:${target.value}`
    : target.type === 'all'
      ? 'all'
      : `${target.type}:${target.id}`;
