import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { z } from 'zod';
import { ORIENTATIONS } from '@placard/protocol';
import type { Orientation } from '@placard/protocol';
import type { RuntimeConfig } from '../../runtime/shell-messages.ts';
import { byteAmount } from './byte-amount.ts';
import { defaultConfigFile, defaultDataFolder, readConfigFile } from './config-file.ts';
import { PROVISIONING_FILE } from '../provisioning/locations.ts';
import { readProvisioningState } from '../provisioning/provisioning-state.ts';

export const SHELL_CHOICES = ['auto', 'electron', 'chromium', 'headless'] as const;
export type ShellChoice = (typeof SHELL_CHOICES)[number];

/** The settings of this start. Paths are absolute. */
export interface PlayerOptions {
  readonly server: string;
  readonly dataDir: string;
  readonly shell: ShellChoice;
  /** PNG file that always holds a screenshot, or null. */
  readonly snapshot: string | null;
  /** Orientation of the picture until the cloud sets it; null: landscape. */
  readonly orientation: Orientation | null;
  /** Proxy for the runtime; null: taken from the environment. May include a password. */
  readonly proxy: string | null;
  /** CA certificates in addition to those of the system, or null. */
  readonly caFile: string | null;
  /** Hash of the menu PIN that a technician set at the installation, or null. */
  readonly menuPinHash: string | null;
  /** Run the smoke test and exit, instead of playing. */
  readonly smokeTest: boolean;
  /** Limits of the media cache; the runtime has defaults for missing ones. */
  readonly limits: Readonly<
    Pick<RuntimeConfig, 'maxCacheBytes' | 'minFreeBytes' | 'maxDownloadBytesPerSecond'>
  >;
}

/** Either start with these options, or print this text and exit with this code. */
export type OptionsResult =
  | { kind: 'run'; options: PlayerOptions; summary: string }
  | { kind: 'print'; text: string; exitCode: number };

const CREDENTIALS = /\/\/[^/?#]*@/;

const serverUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
  .refine((url) => !URL.canParse(url) || !CREDENTIALS.test(url), {
    error: 'must not include a user name or password',
  })
  .transform((url) => url.replace(/\/+$/, ''));

/** One row per setting with its name, schema and help. Later sources win: default, file, environment, flag. */
const SETTING_DEFINITIONS = {
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
    about: 'folder for identity, media and logs',
    fallback: undefined,
    schema: z.string().min(1, 'must name a folder'),
  },
  shell: {
    flags: '--shell <kind>',
    env: 'PLACARD_SHELL',
    about: `program that shows the picture: ${SHELL_CHOICES.join(', ')}`,
    fallback: 'auto',
    schema: z.enum(SHELL_CHOICES, { error: `must be one of ${SHELL_CHOICES.join(', ')}` }),
  },
  snapshot: {
    flags: '--snapshot <file.png>',
    env: 'PLACARD_SNAPSHOT',
    about: 'write a screenshot to this file every 2 s',
    fallback: undefined,
    schema: z.string().min(1, 'must name a file').optional(),
  },
  orientation: {
    flags: '--orientation <name>',
    env: 'PLACARD_ORIENTATION',
    about: `orientation of the picture until the cloud sets it: ${ORIENTATIONS.join(', ')}`,
    fallback: undefined,
    schema: z.enum(ORIENTATIONS, { error: `must be one of ${ORIENTATIONS.join(', ')}` }).optional(),
  },
  proxy: {
    flags: '--proxy <url>',
    env: 'PLACARD_PROXY',
    about: 'proxy to the cloud; HTTPS_PROXY, HTTP_PROXY and NO_PROXY are used if not given',
    fallback: undefined,
    schema: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' }).optional(),
  },
  caFile: {
    flags: '--ca-file <file.pem>',
    env: 'PLACARD_CA_FILE',
    about: 'CA certificates to trust in addition to those of the system',
    fallback: undefined,
    schema: z
      .string()
      .refine((path) => existsSync(path), { error: 'must name a file that exists' })
      .optional(),
  },
  maxCache: {
    flags: '--max-cache <size>',
    env: 'PLACARD_MAX_CACHE',
    about: 'largest size of the media cache, as 20GB or 512MiB; all but --min-free if not given',
    fallback: undefined,
    schema: byteAmount('bytes', 1_000_000).optional(),
  },
  minFree: {
    flags: '--min-free <size>',
    env: 'PLACARD_MIN_FREE',
    about: 'disk space that the media cache leaves free; 256MiB if not given',
    fallback: undefined,
    schema: byteAmount('bytes', 0).optional(),
  },
  maxDownloadRate: {
    flags: '--max-download-rate <rate>',
    env: 'PLACARD_MAX_DOWNLOAD_RATE',
    about: 'limit for all downloads together, as 2MB/s or 16Mbit/s; all if not given',
    fallback: undefined,
    schema: byteAmount('rate', 1_000).optional(),
  },
} as const;

const settingsSchema = z.object({
  server: SETTING_DEFINITIONS.server.schema,
  data: SETTING_DEFINITIONS.data.schema,
  shell: SETTING_DEFINITIONS.shell.schema,
  snapshot: SETTING_DEFINITIONS.snapshot.schema,
  orientation: SETTING_DEFINITIONS.orientation.schema,
  proxy: SETTING_DEFINITIONS.proxy.schema,
  caFile: SETTING_DEFINITIONS.caFile.schema,
  maxCache: SETTING_DEFINITIONS.maxCache.schema,
  minFree: SETTING_DEFINITIONS.minFree.schema,
  maxDownloadRate: SETTING_DEFINITIONS.maxDownloadRate.schema,
});

type Setting = keyof typeof SETTING_DEFINITIONS;
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

const PLAYER_FLAG_NAMES = new Set([
  ...[...SETTINGS.map((setting) => SETTING_DEFINITIONS[setting].flags), CONFIG_FLAGS, SMOKE_FLAG].map(
    (flags) => flags.split(' ', 1)[0],
  ),
  '--help',
  '-h',
]);

/** Whether an argument is a flag of the player itself, alone or with `=` and its value. */
export const isPlayerFlag = (argument: string): boolean => PLAYER_FLAG_NAMES.has(argument.split('=', 1)[0]);

/** Read only from the environment, by the update service. */
const UPDATES_HELP = `
Updates of an installed player (environment only):
  PLACARD_UPDATE_FEED     address of the signed feed; without one it takes no updates over the network
  PLACARD_UPDATE_CHANNEL  stable (default) or beta
  PLACARD_UPDATE_WINDOW   when updates are installed, in the organization's time zone: 02:00-05:00 (default) or always`;

const EXIT_BAD_SETTING = 2;

/** Reads the settings of one start. `platform` and `env` are those of the process; `argv` has only the flags. */
export function readPlayerOptions(
  argv: readonly string[],
  { env, platform }: { env: Readonly<Record<string, string | undefined>>; platform: string },
): OptionsResult {
  let output = '';
  const command = new Command('player')
    .description('Shows what the cloud has scheduled for this screen.')
    .allowExcessArguments(false)
    .showHelpAfterError('Run with --help to see every setting.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => (output += text),
      writeErr: (text) => (output += text),
      // A fixed width: the same help in a terminal and in a log.
      getOutHelpWidth: () => 100,
    });
  const defaultDataDir = defaultDataFolder(env, platform);
  const defaultOf = (setting: Setting) =>
    setting === 'data' ? defaultDataDir : SETTING_DEFINITIONS[setting].fallback;
  for (const setting of SETTINGS) {
    const { flags, env: variable, about } = SETTING_DEFINITIONS[setting];
    const fallback = defaultOf(setting);
    const defaultText = fallback === undefined ? '' : `default ${fallback}, `;
    command.addOption(new Option(flags, `${about} (${defaultText}environment ${variable})`));
  }
  const defaultFile = defaultConfigFile(env, platform);
  command.addOption(
    new Option(
      CONFIG_FLAGS,
      `settings as JSON: { ${SETTINGS.join(', ')} } (default ${defaultFile}, if it exists)`,
    ),
  );
  command
    .addOption(
      new Option(SMOKE_FLAG, 'open the database, play a clip of 1 s, print the result as JSON, exit'),
    )
    .addHelpText('after', UPDATES_HELP);
  try {
    command.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      throw error;
    }
    return { kind: 'print', text: output.trimEnd(), exitCode: error.exitCode === 0 ? 0 : EXIT_BAD_SETTING };
  }

  const flags = command.opts<Partial<Record<Setting | 'config', string>> & { smokeTest?: boolean }>();
  const configFile = readConfigFile(flags.config ?? null, defaultFile, SETTINGS);
  if (!configFile.ok) {
    return { kind: 'print', text: configFile.message, exitCode: EXIT_BAD_SETTING };
  }
  const settings: Partial<Record<Setting, unknown>> = configFile.settings;
  const dataDir = resolve(
    [flags.data, env[SETTING_DEFINITIONS.data.env], settings.data].find(isNonEmptyString) ?? defaultDataDir,
  );
  const provisioning = readProvisioningState(dataDir);
  const provisionedSettings: Partial<Record<Setting, unknown>> = provisioning.settings;
  const resolvedSettings = SETTINGS.map((setting) => {
    const { env: variable, flags: flag } = SETTING_DEFINITIONS[setting];
    const sources: { from: string; value: unknown }[] = [
      { from: flag.split(' ', 1)[0]!, value: flags[setting] },
      { from: variable, value: env[variable] || undefined },
      { from: flags.config ?? defaultFile, value: settings[setting] },
      { from: PROVISIONING_FILE, value: provisionedSettings[setting] },
    ];
    return {
      setting,
      ...(sources.find(({ value }) => value !== undefined) ?? {
        from: 'default',
        value: defaultOf(setting),
      }),
    };
  });
  const parsed = settingsSchema.safeParse(
    Object.fromEntries(resolvedSettings.map(({ setting, value }) => [setting, value])),
  );
  if (!parsed.success) {
    const messages = parsed.error.issues.map(({ path, message }) => {
      const invalid = resolvedSettings.find(({ setting }) => setting === path[0]);
      const shownValue = JSON.stringify(invalid?.value).replace(CREDENTIALS, '//…@');
      return `The setting "${invalid?.setting}" (${invalid?.from}: ${shownValue}) ${message}.`;
    });
    return { kind: 'print', text: messages.join('\n'), exitCode: EXIT_BAD_SETTING };
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
    menuPinHash: provisioning.menuPinHash,
    smokeTest: flags.smokeTest ?? false,
    limits: Object.freeze({
      ...(maxCache === undefined ? {} : { maxCacheBytes: maxCache }),
      ...(minFree === undefined ? {} : { minFreeBytes: minFree }),
      ...(maxDownloadRate === undefined ? {} : { maxDownloadBytesPerSecond: maxDownloadRate }),
    }),
  });
  const summary = resolvedSettings
    .map(({ setting, from }) => `${setting} ${parsed.data[setting] ?? 'none'} (${from})`)
    .join(', ')
    .replaceAll(new RegExp(CREDENTIALS, 'g'), '//…@');
  return { kind: 'run', options, summary };
}

const isNonEmptyString = (value: unknown): value is string => typeof value === 'string' && value !== '';
