import type { Body, DeviceCounts, Rollout } from '@placard/client';
import { filterOf } from '../device-filter/filter.ts';
import type { TypedFilter } from '../device-filter/filter.ts';

/** A rollout as it is typed. */
export interface StartDraft {
  version: string;
  name: string;
  filter: TypedFilter;
  /** Percents, separated by commas. */
  rings: string;
  holdHours: string;
}

/** Rings that are offered; the first are chosen. */
export const RINGS = ['1, 10, 100', '1, 10, 50, 100', '10, 100', '100'] as const;
const DAY_HOURS = 24;
/** How long each ring is compared, in hours. */
export const HOLDS: readonly number[] = [1, 3, 7, 14].map((days) => days * DAY_HOURS);
const USUAL_HOLD_HOURS = 7 * DAY_HOURS;

type VersionCounts = DeviceCounts['player_versions'];

/** The versions in use that a rollout can give, newest first. */
export const releasedVersions = (counts: VersionCounts): string[] =>
  counts
    .map(({ player_version: version }) => version)
    .filter((version) => /^\d+\.\d+\.\d+$/.test(version))
    .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));

/**
 * What is chosen at first: the newest version, when some screens have it and others do not; none when its rollout was stopped.
 *
 * @param last the newest rollout
 */
export const firstDraft = (
  counts: VersionCounts,
  last: Pick<Rollout, 'status' | 'version'> | null,
): StartDraft => ({
  version: firstVersion(releasedVersions(counts), last),
  name: '',
  filter: {},
  rings: RINGS[0],
  holdHours: String(USUAL_HOLD_HOURS),
});

const firstVersion = (
  [newest = '', ...older]: readonly string[],
  last: Pick<Rollout, 'status' | 'version'> | null,
): string => (older.length === 0 || (last?.status === 'stopped' && last.version === newest) ? '' : newest);

/** As the API takes it. */
export const bodyOf = (draft: StartDraft): Body<'createRollout'> => ({
  version: draft.version.trim(),
  name: draft.name.trim() === '' ? null : draft.name.trim(),
  filter: filterOf(draft.filter),
  rings: draft.rings.split(',').map(Number),
  hold_hours: Number(draft.holdHours),
});
