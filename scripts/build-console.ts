import { resolve } from 'node:path';
import { REPOSITORY } from './repository.ts';
import { compressBuild, newestMs } from './web-build.ts';

const CONSOLE = resolve(REPOSITORY, 'packages/console');
const BUILD = resolve(REPOSITORY, 'packages/cloud/dist/console');
/** A change of one of these files makes a new build. */
export const CONSOLE_SOURCES = [
  'packages/{console,client,protocol,schedule}/src/**/*.*',
  'packages/console/*.*',
  // The stage of the player is in its previews, and what screens say about faults in its texts.
  'renderer/{stage,strings}/*.*',
  'package-lock.json',
  'scripts/build-console.ts',
];

const PAGES = ['index.html', 'pair.html'];

function setEnvironment(name: string | undefined): void {
  if (name === undefined) {
    delete process.env['NODE_ENV'];
  } else {
    process.env['NODE_ENV'] = name;
  }
}

/** Builds the console for the cloud that serves it, unless its build is newer than its sources. */
export async function buildConsole(): Promise<void> {
  if (newestMs(['index.html.br'], BUILD) > newestMs(CONSOLE_SOURCES, REPOSITORY)) {
    return;
  }
  const { build } = await import('vite');
  // Tests build it as well, and set this to "test", for which the libraries have code with more checks.
  const { NODE_ENV } = process.env;
  process.env['NODE_ENV'] = 'production';
  try {
    // Each page by itself: code that both need must not make one load the script of the other.
    for (const page of PAGES) {
      await build({
        configFile: resolve(CONSOLE, 'vite.config.ts'),
        logLevel: 'warn',
        build: {
          outDir: BUILD,
          emptyOutDir: page === PAGES[0],
          rolldownOptions: { input: resolve(CONSOLE, page) },
        },
      });
    }
  } finally {
    setEnvironment(NODE_ENV);
  }
  compressBuild(BUILD);
}
