import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A row that this machine cannot measure, with what it needs. */
export class NotMeasuredError extends Error {
  override name = 'NotMeasuredError';
}

const isInstalled = (command: string) =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, command)));

/** The Debian packages, by command, that are not installed. */
export const missingPackages = (packages: Readonly<Record<string, string>>): string[] =>
  Object.entries(packages).flatMap(([command, name]) => (isInstalled(command) ? [] : [name]));

/** Throws if a package is missing. */
export function requirePackages(missing: readonly string[]): void {
  if (missing.length > 0) {
    throw new NotMeasuredError(`needs apt-get install ${missing.join(' ')}`);
  }
}
