import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPackageJson } from '../repository.ts';

/**
 * Folders of all packages that the player needs at run time, relative to the repository: its dependencies and theirs,
 * resolved as Node does. The project's own packages are bundled, so only their dependencies are in the list.
 */
export function findProductionPackages(repository: string): string[] {
  const found = new Set<string>();
  const visit = (folder: string): void => {
    const { dependencies, optionalDependencies } = readPackageJson(join(repository, folder));
    for (const name of [...Object.keys(dependencies), ...Object.keys(optionalDependencies)]) {
      const folderPath = findPackageFolder(repository, folder, name);
      if (folderPath === null) {
        if (name in optionalDependencies) {
          continue;
        }
        throw new Error(`${folder || 'the player'} needs ${name}, which is not installed`);
      }
      if (found.has(folderPath)) {
        continue;
      }
      found.add(folderPath);
      visit(folderPath);
    }
  };
  visit('');
  return [...found].filter((folderPath) => !folderPath.startsWith('node_modules/@placard/')).toSorted();
}

/** Looks in `node_modules` of `from` and of each parent folder. */
function findPackageFolder(repository: string, from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.split('/').slice(0, -1).join('/')) {
    const folderPath = join(folder, 'node_modules', name);
    if (existsSync(join(repository, folderPath, 'package.json'))) {
      return folderPath;
    }
    if (folder === '') {
      return null;
    }
  }
}
