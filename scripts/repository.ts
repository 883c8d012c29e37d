import { realpathSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';

/** The root folder of the repository, with all links resolved. */
export const REPOSITORY = realpathSync(resolve(import.meta.dirname, '..'));

const packageJson = z.object({
  version: z.string(),
  description: z.string().default(''),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

/** The `package.json` in a folder. */
export const readPackageJson = (folder: string): z.infer<typeof packageJson> =>
  packageJson.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
