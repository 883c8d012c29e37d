import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const lockFileEntry = z.object({
  version: z.string().optional(),
  license: z.string().optional(),
  integrity: z.string().optional(),
  optional: z.boolean().default(false),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
  dev: z.boolean().default(false),
  link: z.boolean().default(false),
  hasInstallScript: z.boolean().default(false),
});
const lockFile = z.object({ packages: z.record(z.string(), lockFileEntry) });

/** A third-party package that the product needs at run time. */
export interface LockedPackage extends z.infer<typeof lockFileEntry> {
  name: string;
}

/** The entries of the lock file that are not development-only, for all platforms. */
export function readLockedPackages(repository: string): LockedPackage[] {
  const { packages } = lockFile.parse(
    JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')),
  );
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, each]) => ({ ...each, name: path.slice(path.lastIndexOf('node_modules/') + 13) }));
}
