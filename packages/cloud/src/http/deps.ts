import type { IdKind } from '@placard/protocol';
import type { Logger } from 'pino';
import type { BlobStore } from '../blob/blob-store.ts';
import type { UploadFiles } from '../blob/upload-files.ts';
import type { Clock } from '../domain/clock.ts';
import type { LiveRequests } from '../domain/live-requests.ts';
import type { ExpiredPairingCodes } from '../domain/expired-pairing-codes.ts';
import type { RateLimiter } from '../domain/rate-limiter.ts';
import type { Retention } from '../domain/retention.ts';
import type { SentFiles } from '../domain/sent-files.ts';
import type { MediaInspector } from '../media/inspector.ts';
import type { DiskMonitor } from '../disk/disk-monitor.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import type { EventStreams } from '../events/event-streams.ts';
import type { KeyUsage } from '../http-server/key-usage.ts';
import type { ContentUrls } from '../http-server/present.ts';
import type { ClientAddresses } from '../http-server/client-address.ts';
import type { PasswordHasher } from '../people/password-hash.ts';
import type { CompanySignIn, SignInEngine } from '../people/sign-in-engine.ts';
import type { SignInThrottle } from '../people/sign-in-throttle.ts';

/** Dependencies of the request handlers. Each handler picks what it uses. */
export interface HttpDeps {
  database: CloudDatabase;
  blobs: BlobStore;
  /** What devices have sent. */
  sentFiles: SentFiles;
  uploadFiles: UploadFiles;
  clock: Clock;
  retention: Retention;
  limiter: RateLimiter;
  /** Creates a rate limiter whose counts survive a restart. */
  newLimiter: (name: string, windowMs: number) => RateLimiter;
  expiredCodes: ExpiredPairingCodes;
  contentUrls: ContentUrls;
  inspector: MediaInspector;
  outboundClient: OutboundClient;
  log: Logger;
  newId: (kind: IdKind) => string;
  keyUsage: KeyUsage;
  eventStreams: EventStreams;
  /** What devices are asked while somebody looks. */
  live: LiveRequests;
  /** Where clients reach this cloud, without a slash at the end. */
  publicUrl: () => string;
  isHttps: () => boolean;
  clientAddresses: ClientAddresses;
  people: {
    loadEngine: () => Promise<SignInEngine>;
    throttle: SignInThrottle;
    passwords: PasswordHasher;
    company: CompanySignIn | null;
  };
  disk: DiskMonitor;
  /** Whether there is a mail server. */
  sendsMail: boolean;
  /** When disk space is low, deletes those of these blobs at once that no asset references any more. */
  deleteBlobsIfDiskLow: (sha256s: readonly string[]) => Promise<void>;
}
