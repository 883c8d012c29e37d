import type { DryRun } from '@placard/client';

/** The query of a change that is only to be tried. */
export const tryOnly = (dryRun: true | undefined): { query?: { dry_run: true } } =>
  dryRun ? { query: { dry_run: true } } : {};

export const formatDryRun = ({ device_count: count, from, to }: DryRun): string =>
  `Nothing was changed. ${count} screens would show something else between ${from} and ${to}.`;
