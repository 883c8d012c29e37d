import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** What the file says, not checked yet, or a sentence for the person at the terminal. */
export type FileAnswer =
  { ok: true; settings: Readonly<Record<string, unknown>> } | { ok: false; sentence: string };

/** Where the settings of a machine are kept. */
export function defaultConfigFile(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): string {
  return platform === 'win32'
    ? join(env['ProgramData'] ?? 'C:\\ProgramData', 'Placard', 'config.json')
    : '/etc/placard/config.json';
}

/** Where a player keeps what it has when nobody says. */
export function defaultDataFolder(
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): string {
  const ofUser = platform === 'win32' ? env['LOCALAPPDATA'] : undefined;
  return ofUser ? join(ofUser, 'Placard') : '.placard/player';
}

/** The file at the usual place may be absent; one that was asked for may not. A setting that is not known is an error. */
export function readConfigFile(asked: string | null, usual: string, known: readonly string[]): FileAnswer {
  const path = asked ?? usual;
  if (asked === null && !existsSync(path)) return { ok: true, settings: {} };
  const wrong = (why: string): FileAnswer => ({
    ok: false,
    sentence: `The configuration file ${path} ${why}. Correct it, or start with --config and another file.`,
  });
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return wrong(code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return wrong(`is not valid JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  const parsed = z.record(z.string(), z.unknown()).safeParse(value);
  if (!parsed.success) return wrong('must hold one JSON object');
  const unknown = Object.keys(parsed.data).filter((name) => !known.includes(name));
  return unknown.length > 0
    ? wrong(`has an unknown setting "${unknown.join('", "')}"; known are ${known.join(', ')}`)
    : { ok: true, settings: parsed.data };
}
