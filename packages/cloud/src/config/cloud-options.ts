import type { ConnectionLimits } from '../http-server/connections.ts';
import type { PairingLimits } from '../gateway/pairing.ts';
import type { PlayQuota } from '../gateway/plays.ts';
import type { MailServer } from '../mail/mailer.ts';
import type { InspectionLimits } from '../media/inspection-process.ts';
import type { RenditionLimits } from '../media/rendition-process.ts';
import type { CompanySignIn } from '../people/sign-in-engine.ts';
import type { Clock } from '../domain/clock.ts';
import type { Retention } from '../domain/retention.ts';
import type { MetricsSettings } from './metrics-options.ts';
import type { TracingSettings } from './tracing-options.ts';
import type { MediaDelivery, S3Settings } from '../blob/s3/s3-settings.ts';

export interface CloudOptions {
  /** 0 lets the operating system choose. */
  port: number;
  host: string;
  /** Contains `cloud.sqlite` and `blobs/`, as far as they are not elsewhere. */
  dataDir: string;
  /** URL of a database on PostgreSQL, with the password; by default the database is in the data folder. */
  database?: string | undefined;
  /** The bucket of the media files; by default they are in the data folder. */
  s3?: S3Settings | undefined;
  /** How clients get files from that bucket; `proxy` by default. */
  mediaDelivery?: MediaDelivery;
  /** Base URL of a content delivery network that fetches files from `<public URL>/cdn`. */
  cdnUrl?: string;
  /** URL at which clients reach this cloud; by default the address that it listens on. */
  publicUrl?: string;
  /** Secret of the first Admin key; generated if there is no key yet and none is given. */
  adminKey?: string;
  /** The accounts of a company with which people sign in; none by default. */
  company?: CompanySignIn | undefined;
  /** By which alerts are mailed; none by default. */
  mailServer?: MailServer | undefined;
  /** pino level of the log on stderr; `warn` by default. */
  logLevel?: string;
  /** Addresses (`10.1.2.3`, `10.0.0.0/8`) that imports and webhooks may reach besides public ones. */
  allowAddresses?: readonly string[];
  /** Origins of web pages that may call the API from a browser; `*` for all. None by default. */
  corsOrigins?: readonly string[];
  /** Reverse proxies whose `X-Forwarded-For` is trusted. None by default. */
  trustProxies?: readonly string[];
  /** Uploads are refused when less than this is free on the disk; 1 GB by default. */
  minFreeBytes?: number;
  /**
   * Size of the disk reserve, released so that deletions work on a full disk; by default 1/64 of the disk, 4 to 64
   * MiB.
   */
  reserveBytes?: number;
  /** Pages in the write-ahead log of SQLite before they are moved to the database; 4,000 by default. Set by a trial only. */
  checkpointPages?: number | undefined;
  /** Logarithm of the cost N of new password hashes; 14 by default. Tests, which sign in often, take less. */
  passwordCostLog2?: number;
  /** False: the optional video decoder is not used. */
  videoDecoder?: boolean;
  /** Limits of the processes that inspect files; omitted fields have defaults. */
  inspectionLimits?: Partial<InspectionLimits>;
  /** Limits of the process that makes a rendition; omitted fields have defaults. */
  renditionLimits?: Partial<RenditionLimits>;
  /** How long samples and plays are kept; omitted fields have defaults. */
  retention?: Partial<Retention>;
  /** Limits for pairing; omitted fields have defaults. */
  pairingLimits?: Partial<PairingLimits>;
  /** How many plays a device may report; omitted fields have defaults. */
  playQuota?: Partial<PlayQuota>;
  /** Connection limits; omitted fields have defaults. */
  connectionLimits?: Partial<ConnectionLimits>;
  /** Metrics for Prometheus; none by default. */
  metrics?: MetricsSettings | undefined;
  /** Traces of edits; none by default. */
  tracing?: TracingSettings | undefined;
  /** The system clock by default. */
  clock?: Clock;
}

export interface Cloud {
  /** URL that it listens on, without trailing slash. */
  url: string;
  publicUrl: string;
  /** Where the metrics are, if they have a port of their own. */
  metricsUrl: string | null;
  /** The Admin key created at this start, or the given one; null if keys already existed. */
  adminKey: string | null;
  /** Where the first Admin signs up, at the first start; null at others. */
  firstAdminUrl: string | null;
  /** What is wrong with the disk space, and what to do; null if there is enough. */
  diskWarning: string | null;
  /**
   * Prepares the stop of a node behind a load balancer: `/readyz` fails, connections are not kept open, and devices are sent
   * to other nodes evenly over `ms`. Resolves at the end of that time, or when `signal` aborts; then call `close`.
   */
  drain: (ms: number, signal: AbortSignal) => Promise<void>;
  close: () => Promise<void>;
}
