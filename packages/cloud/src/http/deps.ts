import type { IdKind } from '@placard/protocol';
import type { Logger } from 'pino';
import type { BlobStore } from '../blob/blob-store.ts';
import type { Clock } from '../domain/clock.ts';
import type { EndedCodes } from '../domain/ended-codes.ts';
import type { RateLimiter } from '../domain/rate-window.ts';
import type { Retention } from '../domain/retention.ts';
import type { Inspector } from '../media/inspector.ts';
import type { DiskWatch } from '../store/disk-watch.ts';
import type { Outbound } from '../webhooks/outbound.ts';
import type { Store } from '../store/store.ts';
import type { LastUsed } from './last-used.ts';
import type { Links } from './present.ts';

/** What the handlers work with. Each takes only what it uses. */
export interface HttpDeps {
  store: Store;
  blobs: BlobStore;
  clock: Clock;
  retention: Retention;
  limiter: RateLimiter;
  /** A limiter of its own, whose counts outlive a restart. */
  newLimiter: (name: string, windowMs: number) => RateLimiter;
  endedCodes: EndedCodes;
  links: Links;
  media: Inspector;
  outbound: Outbound;
  log: Logger;
  newId: (kind: IdKind) => string;
  lastUsed: LastUsed;
  disk: DiskWatch;
  /** Removes these bytes at once where room is short and no asset names them any more. */
  freeBlobs: (sha256s: readonly string[]) => Promise<void>;
}
