import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { ParseArgsOptionsConfig } from 'node:util';
import { MEDIA_MODES } from './device/settings.ts';
import type { MediaMode } from './device/settings.ts';
import { listAddresses } from './source-addresses.ts';

export const HELP = `npm run simulate -- --devices N --server URL [--server URL …] [options]
npm run simulate -- audit --ledger DIR --server URL

The environment variable PLACARD_ADMIN_KEY has an Admin key of the cloud.

  --devices N               how many devices
  --server URL              address of a cloud; more than one: devices are spread over them, and go to the next
                            one when theirs does not answer
  --ledger DIR              folder of tokens and of what was acknowledged (.simulation)
  --seconds N               how long; without it until Ctrl-C
  --processes N             one per processor core, if left out
  --sockets N               so many devices keep a socket, the others send heartbeats by HTTP (all)
  --heartbeat-seconds N     instead of the interval that the cloud asks for
  --play-seconds N          length of a play (60); 0: no plays
  --ramp-seconds N          the devices are switched on within this time (a heartbeat interval)
  --media none|head|full    whether devices ask for the files of their manifest, or download them (none)
  --commands-per-minute N   commands that are sent to devices through the API (6)
  --seed N                  of the pattern of disturbances (1)
  --disturb-minutes N       average time between two disturbances of a device (30)
  --off-seconds N           how long a device is off when it loses its power, on average (a heartbeat interval)
  --calm                    no disturbances
  --source-addresses CIDR   local addresses to connect from, such as 127.1.0.0/24
  --pair-only               only pair what is missing
  --no-audit                do not compare the cloud with the ledger at the end
  --audit-devices N         compare the samples of so many devices only (all)
  --max-errors N            exit code 1 with more errors than this`;

/** A mistake on the command line, with what to do about it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface SimulationOptions {
  command: 'run' | 'audit';
  servers: string[];
  devices: number;
  ledger: string;
  /** Null: until Ctrl-C. */
  seconds: number | null;
  processes: number;
  sockets: number;
  /** Null: as the cloud asks for. */
  heartbeatSeconds: number | null;
  playSeconds: number;
  rampSeconds: number;
  media: MediaMode;
  commandsPerMinute: number;
  seed: number;
  disturbMinutes: number;
  offSeconds: number;
  hasDisturbances: boolean;
  /** Empty: the system chooses. */
  sourceAddresses: string[];
  pairOnly: boolean;
  audit: boolean;
  /** Null: all. */
  auditDevices: number | null;
  /** Null: any number. */
  maxErrors: number | null;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const NO_DISTURBANCES = 'calm';
const FLAGS = {
  devices: text,
  server: { type: 'string', multiple: true },
  ledger: text,
  seconds: text,
  processes: text,
  sockets: text,
  'heartbeat-seconds': text,
  'play-seconds': text,
  'ramp-seconds': text,
  media: text,
  'commands-per-minute': text,
  seed: text,
  'disturb-minutes': text,
  'off-seconds': text,
  [NO_DISTURBANCES]: flag,
  'source-addresses': text,
  'pair-only': flag,
  'no-audit': flag,
  'audit-devices': text,
  'max-errors': text,
  help: flag,
} as const satisfies ParseArgsOptionsConfig;

const USUAL_HEARTBEAT_SECONDS = 60;

/** Reads the command line; null asks for the help. Throws `UsageError`. */
export function readOptions(args: readonly string[]): SimulationOptions | null {
  const { values, positionals } = parse(args);
  if (values.help) {
    return null;
  }
  const [command = 'run', ...others] = positionals;
  if ((command !== 'run' && command !== 'audit') || others.length > 0) {
    throw new UsageError(`“${positionals.join(' ')}” is not known; the only word is “audit”.`);
  }
  if (!values.server) {
    throw new UsageError('Name the cloud: --server http://127.0.0.1:8787');
  }
  const number = (name: keyof typeof values, least: number, most: number): number | null =>
    readNumber(name, values[name], least, most);
  const devices = number('devices', 1, 10_000_000);
  if (command === 'run' && devices === null) {
    throw new UsageError('Say how many devices: --devices 100');
  }
  const heartbeatSeconds = number('heartbeat-seconds', 0.1, 86_400);
  const media = MEDIA_MODES.find((mode) => mode === (values.media ?? 'none'));
  if (!media) {
    throw new UsageError(`--media: choose one of ${MEDIA_MODES.join(', ')}.`);
  }
  return {
    command,
    servers: values.server.map(readServer),
    devices: devices ?? 0,
    ledger: values.ledger ?? '.simulation',
    seconds: number('seconds', 1, 31_536_000),
    processes: Math.min(number('processes', 1, 1_024) ?? availableParallelism(), devices ?? 1),
    sockets: number('sockets', 0, 10_000_000) ?? devices ?? 0,
    heartbeatSeconds,
    playSeconds: number('play-seconds', 0, 86_400) ?? 60,
    rampSeconds: number('ramp-seconds', 0, 86_400) ?? heartbeatSeconds ?? USUAL_HEARTBEAT_SECONDS,
    media,
    commandsPerMinute: number('commands-per-minute', 0, 600) ?? 6,
    seed: number('seed', 0, 2 ** 32 - 1) ?? 1,
    disturbMinutes: number('disturb-minutes', 0.001, 100_000) ?? 30,
    offSeconds: number('off-seconds', 0.1, 86_400) ?? heartbeatSeconds ?? USUAL_HEARTBEAT_SECONDS,
    hasDisturbances: !values[NO_DISTURBANCES],
    sourceAddresses: readAddresses(values['source-addresses']),
    pairOnly: values['pair-only'],
    audit: !values['no-audit'],
    auditDevices: number('audit-devices', 1, 10_000_000),
    maxErrors: number('max-errors', 0, 1e12),
  };
}

/** Not a flag: other users of the machine can see those. Throws `UsageError`. */
export function readAdminKey(env: NodeJS.ProcessEnv): string {
  const key = env['PLACARD_ADMIN_KEY'];
  if (key === undefined || key === '') {
    throw new UsageError('Set the environment variable PLACARD_ADMIN_KEY to an Admin key of the cloud.');
  }
  return key;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: FLAGS });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)} See --help.`);
  }
}

function readNumber(name: string, value: unknown, least: number, most: number): number | null {
  if (value === undefined) {
    return null;
  }
  const number = value === '' ? Number.NaN : Number(value);
  if (!(number >= least && number <= most)) {
    throw new UsageError(`--${name}: give a number from ${least} to ${most.toLocaleString('en')}.`);
  }
  return number;
}

function readServer(address: string): string {
  const url = URL.parse(address);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new UsageError(`--server: “${address}” is not an address such as http://127.0.0.1:8787.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('--server: leave out the user name and the password.');
  }
  return address.replace(/\/+$/, '');
}

function readAddresses(network: string | undefined): string[] {
  const addresses = network === undefined ? [] : listAddresses(network);
  if (!addresses) {
    throw new UsageError('--source-addresses: give an IPv4 network from /16 to /31, such as 127.1.0.0/24.');
  }
  return addresses;
}
