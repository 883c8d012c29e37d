import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import ipaddr from 'ipaddr.js';
import { DEFAULT_MIN_FREE_BYTES } from '../domain/disk-state.ts';
import { DEFAULT_RETENTION } from '../domain/retention.ts';
import { describePostgres } from '../database/postgres-url.ts';
import { addPeopleOptions } from './people-options.ts';
import type { PeopleStartOptions } from './people-options.ts';
import { addMailOptions } from './mail-options.ts';
import type { MailStartOptions } from './mail-options.ts';
import { addMediaOptions } from './media-options.ts';
import type { MediaStartOptions } from './media-options.ts';
import { addMetricsOptions } from './metrics-options.ts';
import type { MetricsStartOptions } from './metrics-options.ts';
import { readSecretFile, SECRET_HINT, SECRET_PATTERN } from './secret-file.ts';
import { addTracingOptions } from './tracing-options.ts';
import type { TracingStartOptions } from './tracing-options.ts';
import { wholeNumber } from './whole-number.ts';

export interface StartOptions
  extends MailStartOptions, MediaStartOptions, MetricsStartOptions, TracingStartOptions, PeopleStartOptions {
  port: number;
  host: string;
  data: string;
  database?: string;
  publicUrl?: string;
  adminKey?: string;
  adminKeyFile?: string;
  allowAddress: string[];
  corsOrigin: string[];
  trustProxy: string[];
  videoDecoder: boolean;
  logLevel: string;
  minFree: number;
  /** Seconds. */
  drain: number;
  keepMinutes: number;
  keepHours: number;
  keepDays: number;
  keepPlays: number;
  keepAudit: number;
  keepScreenshots: number;
  /** Hours. */
  keepUploads: number;
}

function parsePublicUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new InvalidArgumentError('Give a URL such as https://signage.example.com.');
  }
  return text;
}

/** Its errors do not contain the URL, which has a password. */
function parseDatabase(text: string): string {
  describePostgres(text);
  return text;
}

/** Reads the key from a file; throws a `StartupError` if it contains none. */
export const readAdminKey = (file: string): string => readSecretFile(file, '--admin-key-file');

function parseAdminKey(text: string): string {
  if (!SECRET_PATTERN.test(text)) {
    throw new InvalidArgumentError(SECRET_HINT);
  }
  return text;
}

/** Entries separated by commas; the option may be repeated. */
const listOf = (isValid: (entry: string) => boolean, hint: string) => (text: string, before: string[]) => {
  const found = text.split(',').map((entry) => entry.trim());
  if (!found.every(isValid)) {
    throw new InvalidArgumentError(hint);
  }
  return [...before, ...found];
};

const parseAddresses = listOf(
  (entry) => ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry),
  'Give addresses such as 10.0.0.5 or 192.168.0.0/16, separated by commas.',
);

const UNIT_FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
  ti: 2 ** 40,
};

/** Parses `1GB`, `512 MiB` or `0` to whole bytes. */
function parseSize(text: string): number {
  const [, number = '', prefix = ''] = /^(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?$/i.exec(text.trim()) ?? [];
  const bytes = Math.round(Number(number) * (UNIT_FACTORS[prefix.toLowerCase()] ?? Number.NaN));
  if (number === '' || !Number.isSafeInteger(bytes)) {
    throw new InvalidArgumentError('Give a size such as 500MB or 2GiB.');
  }
  return bytes;
}

const retentionOption = (name: string, subject: string, defaultDays: number) =>
  new Option(`--keep-${name} <days>`, `how long ${subject} are kept`)
    .env(`PLACARD_KEEP_${name.toUpperCase()}`)
    .default(defaultDays)
    .argParser(wholeNumber(1, 36_500, 'Give a number of days from 1 to 36500.'));

/** The start options, with flags, environment variables, defaults and help texts in one place. */
export function addStartOptions(command: Command): Command {
  return addMailOptions(addPeopleOptions(addTracingOptions(addMetricsOptions(addMediaOptions(command)))))
    .addOption(
      new Option('--port <number>', 'port to listen on; 0 chooses a free one')
        .env('PLACARD_PORT')
        .default(8787)
        .argParser(wholeNumber(0, 65_535, 'Give a number from 0 to 65535.')),
    )
    .addOption(
      new Option('--host <address>', 'address to listen on').env('PLACARD_HOST').default('127.0.0.1'),
    )
    .addOption(
      new Option('--data <folder>', 'folder of the database and the media files')
        .env('PLACARD_DATA')
        .default('.placard/cloud'),
    )
    .addOption(
      new Option(
        '--database <url>',
        'postgres://user:password@host/name, instead of a database in the data folder; as a flag the password is ' +
          'visible to all users of this machine in the process list, as an environment variable it is not',
      )
        .env('PLACARD_DATABASE')
        .argParser(parseDatabase),
    )
    .addOption(
      new Option('--public-url <url>', 'URL at which players and browsers reach this cloud')
        .env('PLACARD_PUBLIC_URL')
        .argParser(parsePublicUrl),
    )
    .addOption(
      new Option(
        '--admin-key-file <file>',
        'file with the secret of the first Admin key, instead of a random one',
      )
        .env('PLACARD_ADMIN_KEY_FILE')
        .conflicts('adminKey'),
    )
    .addOption(
      new Option(
        '--admin-key <key>',
        'the secret itself; as a flag it is visible to all users of this machine in the process list, as an ' +
          'environment variable it is not',
      )
        .env('PLACARD_ADMIN_KEY')
        .argParser(parseAdminKey),
    )
    .addOption(
      new Option(
        '--allow-address <addresses>',
        'addresses that imports and webhooks may reach besides public ones',
      )
        .env('PLACARD_ALLOW_ADDRESS')
        .default([])
        .argParser(parseAddresses),
    )
    .addOption(
      new Option('--cors-origin <origins>', 'web pages that may call the API from a browser, or *')
        .env('PLACARD_CORS_ORIGIN')
        .default([])
        .argParser(
          listOf(
            (entry) => entry === '*' || URL.parse(entry)?.origin === entry,
            'Give origins such as https://app.example.com, or *.',
          ),
        ),
    )
    .addOption(
      new Option('--trust-proxy <addresses>', 'reverse proxies whose X-Forwarded-For is trusted')
        .env('PLACARD_TRUST_PROXY')
        .default([])
        .argParser(parseAddresses),
    )
    .addOption(
      new Option(
        '--no-video-decoder',
        'make no thumbnails of videos that need the optional decoder (H.264, HEVC, VP9)',
      ).env('PLACARD_NO_VIDEO_DECODER'),
    )
    .addOption(
      new Option('--log-level <level>', 'minimum level of the log on stderr (JSON lines)')
        .env('PLACARD_LOG_LEVEL')
        .choices(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
        .default('warn'),
    )
    .addOption(
      new Option('--drain <seconds>', 'when stopped, first send devices to other nodes during this time')
        .env('PLACARD_DRAIN')
        .argParser(wholeNumber(0, 600, 'Give a number of seconds from 0 to 600.'))
        .default(0),
    )
    .addOption(
      new Option(
        '--min-free <size>',
        'refuse uploads, and end a backup, when less than this is free on the disk',
      )
        .env('PLACARD_MIN_FREE')
        .default(DEFAULT_MIN_FREE_BYTES, '1GB')
        .argParser(parseSize),
    )
    .addOption(retentionOption('minutes', 'samples per minute', DEFAULT_RETENTION.minuteDays))
    .addOption(retentionOption('hours', 'samples per hour', DEFAULT_RETENTION.hourDays))
    .addOption(retentionOption('days', 'samples per day', DEFAULT_RETENTION.dayDays))
    .addOption(retentionOption('plays', 'plays and online times', DEFAULT_RETENTION.playDays))
    .addOption(retentionOption('audit', 'audit log entries', DEFAULT_RETENTION.auditDays))
    .addOption(
      retentionOption('screenshots', 'screenshots and logs of devices', DEFAULT_RETENTION.screenshotDays),
    )
    .addOption(
      new Option('--keep-uploads <hours>', 'how long resumable uploads wait for further bytes')
        .env('PLACARD_KEEP_UPLOADS')
        .default(DEFAULT_RETENTION.uploadHours)
        .argParser(wholeNumber(1, 720, 'Give a number of hours from 1 to 720.')),
    );
}
