import { resolve } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import type { Orientation } from '@placard/protocol';
import type { RuntimeConfig } from '../../runtime/shell-messages.ts';
import { PROVISIONING_FILE } from '../provisioning/locations.ts';
import { readProvisioningState } from '../provisioning/provisioning-state.ts';
import { CREDENTIALS } from '../provisioning/url-settings.ts';
import { defaultConfigFile, defaultDataFolder, readConfigFile } from './config-file.ts';
import { SETTING_DEFINITIONS, SETTINGS, settingsSchema } from './settings.ts';
import type { Setting, ShellChoice } from './settings.ts';
import { StartupError } from './startup-error.ts';

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
  /** The runtime has defaults for missing ones. */
  readonly cacheLimits: Readonly<
    Pick<RuntimeConfig, 'maxCacheBytes' | 'minFreeBytes' | 'maxDownloadBytesPerSecond'>
  >;
}

/** Start with these options, or print the help and exit. */
export type OptionsResult =
  { kind: 'run'; options: PlayerOptions; summary: string } | { kind: 'help'; text: string };

/** Where options come from, besides the command line. */
export interface OptionsEnvironment {
  env: NodeJS.ProcessEnv;
  platform: string;
}

const CONFIG_FLAGS = '--config <file>';
const SMOKE_FLAG = '--smoke-test';

const flagName = (flags: string): string => flags.split(' ', 1)[0]!;

const PLAYER_FLAG_NAMES = new Set([
  ...SETTINGS.map((setting) => flagName(SETTING_DEFINITIONS[setting].flags)),
  flagName(CONFIG_FLAGS),
  SMOKE_FLAG,
  '--help',
  '-h',
]);

/** Whether an argument is a flag of the player itself, alone or with `=` and its value. */
export const isPlayerFlag = (argument: string): boolean => PLAYER_FLAG_NAMES.has(argument.split('=', 1)[0]!);

/** Read only from the environment, by the update service. */
const UPDATES_HELP = `
Updates of an installed player (environment only):
  PLACARD_UPDATE_FEED     address of the signed update feed; if not set, no updates over the network
  PLACARD_UPDATE_CHANNEL  stable (default) or beta
  PLACARD_UPDATE_WINDOW   when updates are installed, in the organization's time zone: 02:00-05:00 (default) or always`;

type Flags = Partial<Record<Setting | 'config', string>> & { smokeTest?: boolean };

/** Reads the settings of one start; `argv` has only the flags. Throws a `StartupError` when one is not valid. */
export function readPlayerOptions(argv: readonly string[], environment: OptionsEnvironment): OptionsResult {
  const { env, platform } = environment;
  const parsedFlags = parseFlags(argv, environment);
  if (parsedFlags.kind === 'help') {
    return parsedFlags;
  }
  const { flags } = parsedFlags;
  const defaultFile = defaultConfigFile(env, platform);
  const defaultDataDir = defaultDataFolder(env, platform);
  const settings: Partial<Record<Setting, unknown>> = readConfigFile(
    flags.config ?? null,
    defaultFile,
    SETTINGS,
  );
  const dataDir = resolve(
    [flags.data, env[SETTING_DEFINITIONS.data.env], settings.data].find(isNonEmptyString) ?? defaultDataDir,
  );
  const provisioning = readProvisioningState(dataDir);
  const provisionedSettings: Partial<Record<Setting, unknown>> = provisioning.settings;
  const resolvedSettings = SETTINGS.map((setting) => {
    const { env: variable, flags: flag, defaultValue } = SETTING_DEFINITIONS[setting];
    // The first with a value wins.
    const sources: { from: string; value: unknown }[] = [
      { from: flagName(flag), value: flags[setting] },
      { from: variable, value: env[variable] || undefined },
      { from: flags.config ?? defaultFile, value: settings[setting] },
      { from: PROVISIONING_FILE, value: provisionedSettings[setting] },
    ];
    const source = sources.find(({ value }) => value !== undefined);
    const fallback = { from: 'default', value: setting === 'data' ? defaultDataDir : defaultValue };
    return { setting, ...(source ?? fallback) };
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
    throw new StartupError(messages.join('\n'));
  }
  const { server, shell, snapshot, orientation, proxy, caFile, maxCache, minFree, maxDownloadRate } =
    parsed.data;
  const options: PlayerOptions = Object.freeze({
    server,
    dataDir,
    shell,
    snapshot: snapshot === undefined ? null : resolve(snapshot),
    orientation: orientation ?? null,
    proxy: proxy ?? null,
    caFile: caFile === undefined ? null : resolve(caFile),
    menuPinHash: provisioning.menuPinHash,
    smokeTest: flags.smokeTest ?? false,
    cacheLimits: Object.freeze({
      maxCacheBytes: maxCache,
      minFreeBytes: minFree,
      maxDownloadBytesPerSecond: maxDownloadRate,
    }),
  });
  const summary = resolvedSettings
    .map(({ setting, from }) => `${setting} ${parsed.data[setting] ?? 'none'} (${from})`)
    .join(', ')
    .replaceAll(new RegExp(CREDENTIALS, 'g'), '//…@');
  return { kind: 'run', options, summary };
}

function parseFlags(
  argv: readonly string[],
  { env, platform }: OptionsEnvironment,
): { kind: 'flags'; flags: Flags } | { kind: 'help'; text: string } {
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
  for (const setting of SETTINGS) {
    const { flags, env: variable, description, defaultValue } = SETTING_DEFINITIONS[setting];
    const shownDefault = setting === 'data' ? defaultDataFolder(env, platform) : defaultValue;
    const defaultText = shownDefault === undefined ? '' : `default ${shownDefault}, `;
    command.addOption(new Option(flags, `${description} (${defaultText}environment ${variable})`));
  }
  const configFile = defaultConfigFile(env, platform);
  command
    .option(
      CONFIG_FLAGS,
      `settings as JSON: { ${SETTINGS.join(', ')} } (default ${configFile}, if it exists)`,
    )
    .option(SMOKE_FLAG, 'open the database, play a clip of 1 s, print the result as JSON, exit')
    .addHelpText('after', UPDATES_HELP);
  try {
    command.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      throw error;
    }
    if (error.exitCode !== 0) {
      throw new StartupError(output.trimEnd(), error);
    }
    return { kind: 'help', text: output.trimEnd() };
  }
  return { kind: 'flags', flags: command.opts<Flags>() };
}

const isNonEmptyString = (value: unknown): value is string => typeof value === 'string' && value !== '';
