import { createInterface } from 'node:readline';
import type { Body, PlacardClient } from '@placard/client';
import type { Command } from 'commander';
import { findDevice, findStore } from './find.ts';
import { UsageError } from './output/failure.ts';
import type { Session } from './session.ts';
import { collect } from './targets.ts';

/** The screens of an operation: by id, or what a filter finds. */
export type Selection = Body<'createOperation'>['devices'];
type Filter = Extract<Selection, { filter: unknown }>['filter'];

function choose<T extends string>(field: string, text: string, choices: readonly T[]): T {
  const found = choices.find((each) => each === text);
  if (found === undefined) {
    throw new UsageError(`${field} is ${choices.join(' or ')}, not "${text}".`);
  }
  return found;
}

/** What `--where FIELD:VALUE` narrows the screens to. */
const FIELDS: Readonly<Record<string, (value: string, placard: PlacardClient) => Filter | Promise<Filter>>> =
  {
    tag: (tag) => ({ tag }),
    store: async (text, placard) => ({ store_id: await findStore(placard, text) }),
    country: (country) => ({ country }),
    region: (region) => ({ region }),
    city: (city) => ({ city }),
    status: (text) => ({ status: choose('status', text, ['online', 'offline']) }),
    fault: (fault) => ({ fault }),
    version: (version) => ({ player_version: version }),
    revision: (text) => ({ revision: choose('revision', text, ['behind', 'current']) }),
    search: (search) => ({ search }),
  };

const WHERE_HELP = `all, or FIELD:VALUE, repeated to narrow; fields: ${Object.keys(FIELDS).join(', ')}`;

/** What the argument `[devices...]` of a command that uses `selectDevices` accepts. */
export const DEVICES_HELP = 'by name or id; "-" reads them from the standard input, one a line';

export const withWhere = (command: Command): Command =>
  command.option('--where <filter>', `the screens of a filter: ${WHERE_HELP}`, collect);

/** The screens that are called by name or id, or that the filters find. Throws when there are neither, or both. */
export async function selectDevices(
  { placard }: Session,
  names: readonly string[],
  where: readonly string[] = [],
): Promise<Selection> {
  if (names.length > 0 && where.length > 0) {
    throw new UsageError('Name the screens, or use a filter, not both.');
  }
  if (where.length > 0) {
    return { filter: await parseFilters(placard, where) };
  }
  const ids: string[] = [];
  for (const each of names.length === 1 && names[0] === '-' ? await readNames() : names) {
    ids.push(await findDevice(placard, each));
  }
  if (ids.length === 0) {
    throw new UsageError('Which screens? Name them, or use --where.');
  }
  return { ids: [...new Set(ids)] };
}

/** The id when it is one screen that was named. */
export const onlyId = (selection: Selection): string | undefined =>
  'ids' in selection && selection.ids.length === 1 ? selection.ids[0] : undefined;

async function parseFilters(placard: PlacardClient, where: readonly string[]): Promise<Filter> {
  const filter: Filter = {};
  const seen = new Set<string>();
  for (const text of where) {
    const [, field = text, value = ''] = /^(\w+):(.+)$/.exec(text) ?? [];
    if (seen.has(field)) {
      throw new UsageError(`"${field}" is in two filters; a screen must match all of them.`);
    }
    seen.add(field);
    if (text === 'all') {
      continue;
    }
    const parse = value === '' || !Object.hasOwn(FIELDS, field) ? undefined : FIELDS[field];
    if (!parse) {
      throw new UsageError(`"${text}" is no filter: ${WHERE_HELP}.`);
    }
    Object.assign(filter, await parse(value, placard));
  }
  if (seen.has('all') && seen.size > 1) {
    throw new UsageError('"all" is every screen; leave it out beside other filters.');
  }
  return filter;
}

async function readNames(): Promise<string[]> {
  const names: string[] = [];
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() !== '') {
      names.push(line.trim());
    }
  }
  return names;
}
