import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import ipaddr from 'ipaddr.js';
import { DEFAULT_MIN_FREE_BYTES } from '../domain/disk-state.ts';
import { codeOf } from '../domain/error-facts.ts';
import { startFault } from '../domain/start-fault.ts';
import { DEFAULT_RETENTION } from '../domain/retention.ts';

export interface StartOptions {
  port: number;
  host: string;
  data: string;
  publicUrl?: string;
  adminKey?: string;
  adminKeyFile?: string;
  allowAddress: string[];
  corsOrigin: string[];
  trustProxy: string[];
  videoDecoder: boolean;
  logLevel: string;
  minFree: number;
  keepMinutes: number;
  keepHours: number;
  keepDays: number;
  keepPlays: number;
  keepAudit: number;
}

function port(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65_535) throw new InvalidArgumentError('Give a number from 0 to 65535.');
  return value;
}

function publicUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new InvalidArgumentError('Give an address such as https://signage.example.com.');
  return text;
}

/** The key in a file; a start fault when there is none. */
export function readAdminKey(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw startFault(`The file ${file} of --admin-key-file cannot be read (${codeOf(cause)}).`, cause);
  }
  if (!ADMIN_KEY.test(text))
    throw startFault(`The file ${file} of --admin-key-file does not hold a key alone. ${ADMIN_KEY_FORM}`);
  return text;
}

const ADMIN_KEY = /^[\w.~+/=-]{16,200}$/;
const ADMIN_KEY_FORM = 'Give 16 to 200 letters, digits or . ~ + / = - _';

function adminKey(text: string): string {
  if (!ADMIN_KEY.test(text)) throw new InvalidArgumentError(ADMIN_KEY_FORM);
  return text;
}

/** `10.0.0.5,192.168.0.0/16`, checked. */
function addresses(text: string, before: string[]): string[] {
  const found = text.split(',').map((entry) => entry.trim());
  for (const entry of found)
    if (!ipaddr.isValid(entry) && !ipaddr.isValidCIDR(entry))
      throw new InvalidArgumentError(
        'Give addresses such as 10.0.0.5 or 192.168.0.0/16, with commas between.',
      );
  return [...before, ...found];
}

/** `https://a.example,https://b.example`, or `*`. */
function origins(text: string, before: string[]): string[] {
  const found = text.split(',').map((entry) => entry.trim());
  for (const entry of found)
    if (entry !== '*' && URL.parse(entry)?.origin !== entry)
      throw new InvalidArgumentError('Give origins such as https://app.example.com, or *.');
  return [...before, ...found];
}

const POWERS: Readonly<Record<string, number>> = {
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

/** `1GB`, `512 MiB`, `0`: whole bytes. */
function size(text: string): number {
  const [, number = '', prefix = ''] = /^(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?$/i.exec(text.trim()) ?? [];
  const bytes = Math.round(Number(number) * (POWERS[prefix.toLowerCase()] ?? Number.NaN));
  if (number === '' || !Number.isSafeInteger(bytes))
    throw new InvalidArgumentError('Give a size such as 500MB or 2GiB.');
  return bytes;
}

function days(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 36_500)
    throw new InvalidArgumentError('Give a number of days from 1 to 36500.');
  return value;
}

const keep = (name: string, what: string, otherwise: number) =>
  new Option(`--keep-${name} <days>`, `how long ${what} are kept`)
    .env(`PLACARD_KEEP_${name.toUpperCase()}`)
    .default(otherwise)
    .argParser(days);

/** The options of the start, from one table: flags, environment, defaults and --help. */
export function addStartOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--port <number>', 'port to listen on; 0 takes a free one')
        .env('PLACARD_PORT')
        .default(8787)
        .argParser(port),
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
      new Option('--public-url <url>', 'how screens and browsers reach this cloud')
        .env('PLACARD_PUBLIC_URL')
        .argParser(publicUrl),
    )
    .addOption(
      new Option(
        '--admin-key-file <file>',
        'file that holds the secret of the first Admin key, instead of a random one',
      )
        .env('PLACARD_ADMIN_KEY_FILE')
        .conflicts('adminKey'),
    )
    .addOption(
      new Option(
        '--admin-key <key>',
        'the same as text, which every user of this machine can see in its list of processes; in the ' +
          'environment they cannot',
      )
        .env('PLACARD_ADMIN_KEY')
        .argParser(adminKey),
    )
    .addOption(
      new Option(
        '--allow-address <addresses>',
        'addresses that imports and webhooks may reach besides public ones',
      )
        .env('PLACARD_ALLOW_ADDRESS')
        .default([])
        .argParser(addresses),
    )
    .addOption(
      new Option('--cors-origin <origins>', 'web pages that may call the API from a browser, or *')
        .env('PLACARD_CORS_ORIGIN')
        .default([])
        .argParser(origins),
    )
    .addOption(
      new Option('--trust-proxy <addresses>', 'reverse proxies whose X-Forwarded-For is believed')
        .env('PLACARD_TRUST_PROXY')
        .default([])
        .argParser(addresses),
    )
    .addOption(
      new Option(
        '--no-video-decoder',
        'make no small pictures of videos that need the optional decoder (H.264, HEVC, VP9)',
      ).env('PLACARD_NO_VIDEO_DECODER'),
    )
    .addOption(
      new Option('--log-level <level>', 'what is written to stderr, as JSON lines')
        .env('PLACARD_LOG_LEVEL')
        .choices(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
        .default('warn'),
    )
    .addOption(
      new Option('--min-free <size>', 'uploads are refused when less than this is free on the disk')
        .env('PLACARD_MIN_FREE')
        .default(DEFAULT_MIN_FREE_BYTES, '1GB')
        .argParser(size),
    )
    .addOption(keep('minutes', 'readings by the minute', DEFAULT_RETENTION.minuteDays))
    .addOption(keep('hours', 'readings by the hour', DEFAULT_RETENTION.hourDays))
    .addOption(keep('days', 'readings by the day', DEFAULT_RETENTION.dayDays))
    .addOption(keep('plays', 'plays and times online', DEFAULT_RETENTION.playDays))
    .addOption(keep('audit', 'entries of the audit log', DEFAULT_RETENTION.auditDays));
}
