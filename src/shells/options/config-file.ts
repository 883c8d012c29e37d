import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../core/error-details.ts';
import { jsonErrorMessage } from '../../core/parse-json.ts';
import { StartupError } from './startup-error.ts';

/** Default path of the configuration file. */
export function defaultConfigFile(env: NodeJS.ProcessEnv, platform: string): string {
  return platform === 'win32'
    ? join(env['ProgramData'] ?? 'C:\\ProgramData', 'Placard', 'config.json')
    : '/etc/placard/config.json';
}

/** Default data folder. */
export function defaultDataFolder(env: NodeJS.ProcessEnv, platform: string): string {
  const localAppData = platform === 'win32' ? env['LOCALAPPDATA'] : undefined;
  return localAppData ? join(localAppData, 'Placard') : '.placard/player';
}

/** The unvalidated settings of the file. A missing file is an error only if it was requested; an unknown setting is one. */
export function readConfigFile(
  requestedPath: string | null,
  defaultPath: string,
  knownSettings: readonly string[],
): Readonly<Record<string, unknown>> {
  const path = requestedPath ?? defaultPath;
  if (requestedPath === null && !existsSync(path)) {
    return {};
  }
  const invalid = (problem: string, cause?: unknown) =>
    new StartupError(
      `The configuration file ${path} ${problem}. Correct it, or start with --config and another file.`,
      cause,
    );
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = errorCode(error) || String(error);
    throw invalid(code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`, error);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(`is not valid JSON (${jsonErrorMessage(error)})`, error);
  }
  const parsed = z.record(z.string(), z.unknown()).safeParse(value);
  if (!parsed.success) {
    throw invalid('must contain one JSON object');
  }
  const unknown = Object.keys(parsed.data).filter((name) => !knownSettings.includes(name));
  if (unknown.length > 0) {
    throw invalid(
      `has an unknown setting "${unknown.join('", "')}"; known settings are ${knownSettings.join(', ')}`,
    );
  }
  return parsed.data;
}
