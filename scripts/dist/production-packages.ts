import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const manifest = z.object({
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

/**
 * Folders of all packages that the player needs at run time, relative to the repository: its dependencies and theirs,
 * found as Node finds them. Our own packages are bundled into the programs, so only what they need is in the list.
 */
export function productionPackages(repository: string): string[] {
  const found = new Set<string>();
  const visit = (folder: string): void => {
    const text = readFileSync(join(repository, folder, 'package.json'), 'utf8');
    const { dependencies, optionalDependencies } = manifest.parse(JSON.parse(text));
    for (const name of [...Object.keys(dependencies), ...Object.keys(optionalDependencies)]) {
      const place = resolve(repository, folder, name);
      if (place === null) {
        if (name in optionalDependencies) continue;
        throw new Error(`${folder || 'the player'} needs ${name}, which is not installed`);
      }
      if (found.has(place)) continue;
      found.add(place);
      visit(place);
    }
  };
  visit('');
  return [...found].filter((place) => !place.startsWith('node_modules/@placard/')).toSorted();
}

/** The nearest `node_modules` upwards that has it. */
function resolve(repository: string, from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.split('/').slice(0, -1).join('/')) {
    const place = join(folder, 'node_modules', name);
    if (existsSync(join(repository, place, 'package.json'))) return place;
    if (folder === '') return null;
  }
}
