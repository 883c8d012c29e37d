import type { DeviceCounts } from '@placard/client';

type VersionCount = DeviceCounts['player_versions'][number];

/** With more than these, what is old is seen better in a list. */
const MOST_SHOWN = 3;

const compareVersions = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

/** The versions below the newest in use, those of the most devices first. */
export function olderVersions(counts: readonly VersionCount[]): (VersionCount & { newest: string })[] {
  const newest =
    counts
      .map(({ player_version: version }) => version)
      .toSorted(compareVersions)
      .at(-1) ?? '';
  return counts
    .filter(({ player_version: version }) => version !== newest)
    .toSorted((a, b) => b.devices - a.devices)
    .slice(0, MOST_SHOWN)
    .map((count) => ({ ...count, newest }));
}
