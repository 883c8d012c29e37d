import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';
import { NODE_BUILD, NODE_PLUGINS } from '../build/node-bundle.ts';
import { REPOSITORY } from './repository.ts';

const CLOUD = resolve(REPOSITORY, 'packages/cloud');
const BUILD = resolve(CLOUD, 'dist/program');
/** In the build: the state of the sources that it was made of. */
const SOURCES_FILE = 'sources.txt';

const SOURCES = [
  'packages/{cloud,protocol,schedule}/src/**/*.ts',
  'package-lock.json',
  'node_modules/.package-lock.json',
  'build/node-bundle.ts',
  'scripts/build-cloud-program.ts',
];

/** Stay in `node_modules`: packages with native code, and what only some clouds ever load. */
const NOT_BUNDLED = [
  'better-sqlite3',
  'sharp',
  'mediabunny',
  '@mediabunny/server',
  'undici',
  '@aws-sdk/client-s3',
  '@aws-sdk/lib-storage',
  '@aws-sdk/s3-request-presigner',
  'prom-client',
  'nodemailer',
  '@opentelemetry/api',
  '@opentelemetry/sdk-trace',
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'light-my-request',
];

/** `main` is a file of its own, because only what is loaded after it can come from its cache. */
const commandLineApart: Plugin = {
  name: 'command-line-apart',
  enforce: 'pre',
  resolveId: (id) => (id === './command-line.ts' ? { id: './command-line.js', external: true } : null),
};

/** Each is one file, so that a running cloud never loads a part of a newer build. `main` last: it loads the others. */
const PROGRAMS = {
  'command-line': 'command-line.ts',
  inspection: 'media/child/main.ts',
  rendition: 'media/rendition/main.ts',
  checkpoint: 'database/checkpoint/main.ts',
  'sign-in': 'people/engine/main.ts',
  main: 'main.ts',
};

/** Changes with any source, also to an older one; reading the contents would take longer than the whole start. */
function stateOfSources(): string {
  const files = globSync(SOURCES, { cwd: REPOSITORY, exclude: ['**/*.test.ts'] }).toSorted();
  const hash = createHash('sha256');
  for (const file of files) {
    const { mtimeMs, size } = statSync(join(REPOSITORY, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

/** Builds the program of the cloud, unless its sources are those of the last build. */
export async function buildCloudProgram(): Promise<void> {
  const state = stateOfSources();
  if (readBuiltState() === state) {
    return;
  }
  // Moved file by file, so that no start reads half of one.
  const newBuild = `${BUILD}.${process.pid}`;
  try {
    for (const [name, file] of Object.entries(PROGRAMS)) {
      await bundle(name, file, newBuild);
    }
    writeFileSync(join(newBuild, SOURCES_FILE), state);
    mkdirSync(BUILD, { recursive: true });
    for (const file of [...Object.keys(PROGRAMS).map((name) => `${name}.js`), SOURCES_FILE]) {
      renameSync(join(newBuild, file), join(BUILD, file));
    }
  } finally {
    rmSync(newBuild, { recursive: true, force: true });
  }
}

function readBuiltState(): string | null {
  try {
    return readFileSync(join(BUILD, SOURCES_FILE), 'utf8');
  } catch {
    return null; // There is no build yet.
  }
}

async function bundle(name: string, file: string, outDir: string): Promise<void> {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: REPOSITORY,
    logLevel: 'warn',
    plugins: [commandLineApart, ...NODE_PLUGINS],
    ssr: { noExternal: true, external: NOT_BUNDLED },
    build: {
      ...NODE_BUILD,
      outDir,
      rolldownOptions: {
        external: [...builtinModules],
        input: { [name]: resolve(CLOUD, 'src', file) },
        output: { format: 'es', entryFileNames: '[name].js', codeSplitting: false, comments: false },
        onLog(level, log, handle) {
          // `parse-rrule.ts` also works with the other form of that package.
          if (log.code !== 'IMPORT_IS_UNDEFINED') {
            handle(level, log);
          }
        },
      },
    },
  });
}
