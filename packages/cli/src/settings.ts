import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** What "placard login" remembers. */
export interface Settings {
  server: string;
  apiKey: string;
}

/** `~/.config/placard/cli.json`, on Windows `%APPDATA%\Placard\cli.json`. */
export function settingsPath(): string {
  const { APPDATA, XDG_CONFIG_HOME } = process.env;
  return process.platform === 'win32' && APPDATA
    ? join(APPDATA, 'Placard', 'cli.json')
    : join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'placard', 'cli.json');
}

export async function readSettings(): Promise<Settings | null> {
  const text = await readFile(settingsPath(), 'utf8').catch(() => null);
  if (text === null) {
    return null;
  }
  try {
    const { server, apiKey } = JSON.parse(text);
    return typeof server === 'string' && typeof apiKey === 'string' ? { server, apiKey } : null;
  } catch {
    return null;
  }
}

/** Only the user can read the file, from its first byte on. */
export async function writeSettings(settings: Settings): Promise<void> {
  const path = settingsPath();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, path);
}

export const deleteSettings = (): Promise<void> => rm(settingsPath(), { force: true });
