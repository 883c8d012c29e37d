import type { DryRun } from '@placard/client';
import type { Output } from './output/output.ts';
import type { Columns } from './output/table.ts';

type Group = DryRun['groups'][number];
type Change = Group['changes'][number];

/** Lines of the table, and names in a line. */
const MOST_CHANGES = 20;
const MOST_NAMES = 3;

/** The query of a change that is only to be tried. */
export const tryOnly = (dryRun: true | undefined): { query?: { dry_run: true } } =>
  dryRun ? { query: { dry_run: true } } : {};

const COLUMNS: Columns<{ group: Group; change: Change }> = {
  SCREENS: ({ group }) => namesOf(group),
  FROM: ({ change }) => change.start,
  TO: ({ change }) => change.end,
  'INSTEAD OF': ({ change }) => nameOf(change.before),
  'WOULD SHOW': ({ change }) =>
    nameOf(change.after) + (change.kind === 'content_changes' ? ', with other content' : ''),
};

/** Which screens would show something else, when and what; programs get `answer`, with all that the cloud has said. */
export function printDryRun(out: Output, dryRun: DryRun, answer: object): void {
  if (out.json) {
    return out.one(answer);
  }
  const { device_count: count, from, to, groups, group_count: groupCount } = dryRun;
  const screens = count === 0 ? 'No screen' : count === 1 ? '1 screen' : `${count} screens`;
  out.done(`Nothing was changed. ${screens} would show something else between ${from} and ${to}.`, answer);
  const changes = groups
    .flatMap((group) => group.changes.map((change) => ({ group, change })))
    .toSorted((a, b) => Date.parse(a.change.start) - Date.parse(b.change.start));
  if (changes.length > 0) {
    out.list(changes.slice(0, MOST_CHANGES), COLUMNS);
  }
  const all = groups.reduce((sum, { change_count: changed }) => sum + changed, 0);
  if (all > MOST_CHANGES || groupCount > groups.length) {
    const more = groupCount > groups.length ? 'more than ' : '';
    out.note(
      `These are the first ${Math.min(changes.length, MOST_CHANGES)} of ${more}${all} changes; --json prints more of them.`,
    );
  }
  if (dryRun.unexamined_device_count > 0) {
    out.note(`${dryRun.unexamined_device_count} screens were not examined: it would have taken too long.`);
  }
}

function namesOf({ devices, device_count: count }: Group): string {
  const names = devices.slice(0, MOST_NAMES).map(({ name }) => name);
  return names.join(', ') + (count > names.length ? ` and ${count - names.length} more` : '');
}

const nameOf = ({ playlist }: Change['before']): string => playlist?.name ?? 'nothing';
