import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** The unvalidated settings of the file, or a sentence for the operator. */
export type ConfigFileResult =
  { ok: true; settings: Readonly<Record<string, unknown>> } | { ok: false; message: string };

/** Default path of the configuration file. */
export function defaultConfigFile(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): string {
  return platform === 'win32'
    ? join(env['ProgramData'] ?? 'C:\\ProgramData', 'Placard', 'config.json')
    : '/etc/placard/config.json';
}

/** Default data folder. */
export function defaultDataFolder(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): string {
  const localAppData = platform === 'win32' ? env['LOCALAPPDATA'] : undefined;
  return localAppData ? join(localAppData, 'Placard') : '.placard/player';
}

/** A missing file is an error only if it was requested. An unknown setting is an error. */
export function readConfigFile(
  requestedPath: string | null,
  defaultPath: string,
  knownSettings: readonly string[],
): ConfigFileResult {
  const path = requestedPath ?? defaultPath;
  if (requestedPath === null && !existsSync(path)) {
    return { ok: true, settings: {} };
  }
  const invalid = (problem: string): ConfigFileResult => ({
    ok: false,
    message: `The configuration file ${path} ${problem}. Correct it, or start with --config and another file.`,
  });
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return invalid(code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return invalid(`is not valid JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  const parsed = z.record(z.string(), z.unknown()).safeParse(value);
  if (!parsed.success) {
    return invalid('must hold one JSON object');
  }
  const unknown = Object.keys(parsed.data).filter((name) => !knownSettings.includes(name));
  return unknown.length > 0
    ? invalid(
        `has an unknown setting "${unknown.join('", "')}"; known settings are ${knownSettings.join(', ')}`,
      )
    : { ok: true, settings: parsed.data };
}
