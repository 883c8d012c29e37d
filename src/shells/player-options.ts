import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { z } from 'zod';
import { ORIENTATIONS, type Orientation } from '@placard/protocol';
import type { RuntimeConfig } from '../runtime/shell-link.ts';
import { byteAmount } from './byte-amount.ts';
import { defaultConfigFile, defaultDataFolder, readConfigFile } from './config-file.ts';
import { PROVISIONING_FILE } from './provisioning/places.ts';
import { readProvisioned } from './provisioning/provisioned.ts';

export const SHELL_CHOICES = ['auto', 'electron', 'chromium', 'headless'] as const;
export type ShellChoice = (typeof SHELL_CHOICES)[number];

/** The settings of this start. Paths are absolute. */
export interface PlayerOptions {
  readonly server: string;
  readonly dataDir: string;
  readonly shell: ShellChoice;
  /** PNG file that always holds what the screen shows, or null. */
  readonly snapshot: string | null;
  /** What the media cache may take of disk and line; what is left out is up to the runtime. */
  /** How the picture is turned until the cloud says; null: as it comes. */
  readonly orientation: Orientation | null;
  /** Way to the cloud for the runtime; null where the environment says. May carry a password. */
  readonly proxy: string | null;
  /** Certificates to be trusted besides those of the system, or null. */
  readonly caFile: string | null;
  /** What a technician has set for the menu at the installation, or null. */
  readonly menuPinHash: string | null;
  /** Prove that the installation works and leave, instead of playing. */
  readonly smokeTest: boolean;
  readonly limits: Readonly<
    Pick<RuntimeConfig, 'maxCacheBytes' | 'minFreeBytes' | 'maxDownloadBytesPerSecond'>
  >;
}

/** Either start with these options, or print this text and leave with this code. */
export type OptionsAnswer =
  | { kind: 'run'; options: PlayerOptions; summary: string }
  | { kind: 'print'; text: string; exitCode: number };

const CREDENTIALS = /\/\/[^/?#]*@/;

const serverUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
  .refine((url) => !URL.canParse(url) || !CREDENTIALS.test(url), {
    error: 'must not carry a user name or password',
  })
  .transform((url) => url.replace(/\/+$/, ''));

/** One row per setting: parses, documents and names it. Later sources win: default, file, environment, flag. */
const TABLE = {
  server: {
    flags: '--server <url>',
    env: 'PLACARD_SERVER',
    about: 'address of the cloud',
    fallback: 'http://127.0.0.1:8787',
    schema: serverUrl,
  },
  data: {
    flags: '--data <folder>',
    env: 'PLACARD_PLAYER_DATA',
    about: 'where the player keeps identity, media and logs',
    fallback: undefined,
    schema: z.string().min(1, 'must name a folder'),
  },
  shell: {
    flags: '--shell <kind>',
    env: 'PLACARD_SHELL',
    about: `what draws the picture: ${SHELL_CHOICES.join(', ')}`,
    fallback: 'auto',
    schema: z.enum(SHELL_CHOICES, { error: `must be one of ${SHELL_CHOICES.join(', ')}` }),
  },
  snapshot: {
    flags: '--snapshot <file.png>',
    env: 'PLACARD_SNAPSHOT',
    about: 'write what the screen shows to this file every 2 s',
    fallback: undefined,
    schema: z.string().min(1, 'must name a file').optional(),
  },
  orientation: {
    flags: '--orientation <name>',
    env: 'PLACARD_ORIENTATION',
    about: `how the picture is turned until the cloud says: ${ORIENTATIONS.join(', ')}`,
    fallback: undefined,
    schema: z.enum(ORIENTATIONS, { error: `must be one of ${ORIENTATIONS.join(', ')}` }).optional(),
  },
  proxy: {
    flags: '--proxy <url>',
    env: 'PLACARD_PROXY',
    about: 'way to the cloud; HTTPS_PROXY, HTTP_PROXY and NO_PROXY are used if not given',
    fallback: undefined,
    schema: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' }).optional(),
  },
  caFile: {
    flags: '--ca-file <file.pem>',
    env: 'PLACARD_CA_FILE',
    about: 'certificates to be trusted besides those of the system',
    fallback: undefined,
    schema: z
      .string()
      .refine((path) => existsSync(path), { error: 'must name a file that exists' })
      .optional(),
  },
  maxCache: {
    flags: '--max-cache <size>',
    env: 'PLACARD_MAX_CACHE',
    about: 'the most that media may take of the disk, as 20GB or 512MiB; all but --min-free if not given',
    fallback: undefined,
    schema: byteAmount('bytes', 1_000_000).optional(),
  },
  minFree: {
    flags: '--min-free <size>',
    env: 'PLACARD_MIN_FREE',
    about: 'what media leave free on the disk; 256MiB if not given',
    fallback: undefined,
    schema: byteAmount('bytes', 0).optional(),
  },
  maxDownloadRate: {
    flags: '--max-download-rate <rate>',
    env: 'PLACARD_MAX_DOWNLOAD_RATE',
    about: 'the most that downloads together may take of the line, as 2MB/s or 16Mbit/s; all if not given',
    fallback: undefined,
    schema: byteAmount('rate', 1_000).optional(),
  },
} as const;

const shape = z.object({
  server: TABLE.server.schema,
  data: TABLE.data.schema,
  shell: TABLE.shell.schema,
  snapshot: TABLE.snapshot.schema,
  orientation: TABLE.orientation.schema,
  proxy: TABLE.proxy.schema,
  caFile: TABLE.caFile.schema,
  maxCache: TABLE.maxCache.schema,
  minFree: TABLE.minFree.schema,
  maxDownloadRate: TABLE.maxDownloadRate.schema,
});

type Setting = keyof typeof TABLE;
const SETTINGS: readonly Setting[] = [
  'server',
  'data',
  'shell',
  'snapshot',
  'orientation',
  'proxy',
  'caFile',
  'maxCache',
  'minFree',
  'maxDownloadRate',
];
const CONFIG_FLAGS = '--config <file>';
const SMOKE_FLAG = '--smoke-test';

const OWN_NAMES = new Set([
  ...[...SETTINGS.map((setting) => TABLE[setting].flags), CONFIG_FLAGS, SMOKE_FLAG].map(
    (flags) => flags.split(' ', 1)[0],
  ),
  '--help',
  '-h',
]);

/** Whether an argument is a flag of the player itself, alone or with `=` and its value. */
export const isOwnFlag = (argument: string): boolean => OWN_NAMES.has(argument.split('=', 1)[0]);

/** Read from the environment alone, by the part that looks for updates. */
const UPDATES_HELP = `
Updates of an installed player (environment alone):
  PLACARD_UPDATE_FEED     address of the signed feed; without one it takes no updates over the network
  PLACARD_UPDATE_CHANNEL  stable (default) or beta
  PLACARD_UPDATE_WINDOW   when it installs by itself, in the organization's time: 02:00-05:00 (default) or always`;

const EXIT_BAD_SETTING = 2;

/** Reads the settings of one start. `platform` and `env` are those of the process; `argv` has the flags alone. */
export function readPlayerOptions(
  argv: readonly string[],
  { env, platform }: { env: Readonly<Record<string, string | undefined>>; platform: string },
): OptionsAnswer {
  let printed = '';
  const command = new Command('player')
    .description('Shows what the cloud has scheduled for this screen.')
    .allowExcessArguments(false)
    .showHelpAfterError('Run with --help to see every setting.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => (printed += text),
      writeErr: (text) => (printed += text),
      // The same help in a terminal and in a log.
      getOutHelpWidth: () => 100,
    });
  const usualData = defaultDataFolder(env, platform);
  const fallbackOf = (setting: Setting) => (setting === 'data' ? usualData : TABLE[setting].fallback);
  for (const setting of SETTINGS) {
    const { flags, env: variable, about } = TABLE[setting];
    const fallback = fallbackOf(setting);
    const known = fallback === undefined ? '' : `default ${fallback}, `;
    command.addOption(new Option(flags, `${about} (${known}environment ${variable})`));
  }
  const defaultFile = defaultConfigFile(env, platform);
  command.addOption(
    new Option(
      CONFIG_FLAGS,
      `settings as JSON: { ${SETTINGS.join(', ')} } (default ${defaultFile}, if there)`,
    ),
  );
  command
    .addOption(
      new Option(SMOKE_FLAG, 'open the store, play a clip of 1 s, print what came of it as JSON, leave'),
    )
    .addHelpText('after', UPDATES_HELP);
  try {
    command.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { kind: 'print', text: printed.trimEnd(), exitCode: error.exitCode === 0 ? 0 : EXIT_BAD_SETTING };
  }

  const flags = command.opts<Partial<Record<Setting | 'config', string>> & { smokeTest?: boolean }>();
  const file = readConfigFile(flags.config ?? null, defaultFile, SETTINGS);
  if (!file.ok) return { kind: 'print', text: file.sentence, exitCode: EXIT_BAD_SETTING };
  const settings: Partial<Record<Setting, unknown>> = file.settings;
  const dataDir = resolve([flags.data, env[TABLE.data.env], settings.data].find(isText) ?? usualData);
  const imported = readProvisioned(dataDir);
  const lowest: Partial<Record<Setting, unknown>> = imported.settings;
  const chosen = SETTINGS.map((setting) => {
    const { env: variable, flags: flag } = TABLE[setting];
    const sources: { from: string; value: unknown }[] = [
      { from: flag.split(' ', 1)[0]!, value: flags[setting] },
      { from: variable, value: env[variable] || undefined },
      { from: flags.config ?? defaultFile, value: settings[setting] },
      { from: PROVISIONING_FILE, value: lowest[setting] },
    ];
    return {
      setting,
      ...(sources.find(({ value }) => value !== undefined) ?? {
        from: 'default',
        value: fallbackOf(setting),
      }),
    };
  });
  const parsed = shape.safeParse(Object.fromEntries(chosen.map(({ setting, value }) => [setting, value])));
  if (!parsed.success) {
    const sentences = parsed.error.issues.map(({ path, message }) => {
      const wrong = chosen.find(({ setting }) => setting === path[0]);
      const shown = JSON.stringify(wrong?.value).replace(CREDENTIALS, '//…@');
      return `The setting "${wrong?.setting}" (${wrong?.from}: ${shown}) ${message}.`;
    });
    return { kind: 'print', text: sentences.join('\n'), exitCode: EXIT_BAD_SETTING };
  }
  const { server, shell, snapshot, proxy, caFile, maxCache, minFree, maxDownloadRate } = parsed.data;
  const options: PlayerOptions = Object.freeze({
    server,
    dataDir,
    shell,
    snapshot: snapshot === undefined ? null : resolve(snapshot),
    orientation: parsed.data.orientation ?? null,
    proxy: proxy ?? null,
    caFile: caFile === undefined ? null : resolve(caFile),
    menuPinHash: imported.menuPinHash,
    smokeTest: flags.smokeTest ?? false,
    limits: Object.freeze({
      ...(maxCache === undefined ? {} : { maxCacheBytes: maxCache }),
      ...(minFree === undefined ? {} : { minFreeBytes: minFree }),
      ...(maxDownloadRate === undefined ? {} : { maxDownloadBytesPerSecond: maxDownloadRate }),
    }),
  });
  const summary = chosen
    .map(({ setting, from }) => `${setting} ${parsed.data[setting] ?? 'none'} (${from})`)
    .join(', ')
    .replaceAll(new RegExp(CREDENTIALS, 'g'), '//…@');
  return { kind: 'run', options, summary };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
