import type { Manifest, SkippedPart } from '@placard/protocol';

/** A manifest with the parts that were skipped when it was parsed. */
export type StoredManifest = Manifest & { passed_over?: readonly SkippedPart[] };
