import { execFile } from 'node:child_process';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PACKAGE = join(import.meta.dirname, '..');
const REPOSITORY = join(PACKAGE, '../..');

/** Builds the package as it is published: `npm publish packages/client/dist`. */
export async function buildPackage(folder = join(PACKAGE, 'dist')): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  // The compiler of the repository; beside the client there is an older one, for openapi-typescript.
  const compiler = createRequire(join(REPOSITORY, 'package.json')).resolve('typescript/package.json');
  const program = join(compiler, '../bin/tsc');
  const configuration = join(PACKAGE, 'tsconfig.build.json');
  await promisify(execFile)(process.execPath, [program, '-p', configuration, '--outDir', folder]);
  await writeFile(join(folder, 'package.json'), await publishedManifest());
  for (const name of ['README.md', 'LICENSE']) {
    await copyFile(join(PACKAGE, name), join(folder, name));
  }
}

/** `package.json` with the built files instead of the sources. */
async function publishedManifest(): Promise<string> {
  const {
    exports,
    files: _files,
    devDependencies: _development,
    ...rest
  } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
  const built = Object.entries<string>(exports).map(([name, source]) => {
    const path = source.replace('./src/', './').replace(/\.ts$/, '');
    return [name, { types: `${path}.d.ts`, default: `${path}.js` }];
  });
  return `${JSON.stringify({ ...rest, exports: Object.fromEntries(built) }, null, 2)}\n`;
}

if (import.meta.main) {
  await buildPackage();
}
