import type { Manifest, SkippedPart } from '@placard/protocol';

/** A manifest as it is in the database; `passed_over` are the parts that were skipped when it was parsed. */
export type StoredManifest = Manifest & { passed_over?: readonly SkippedPart[] };
