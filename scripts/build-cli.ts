import { builtinModules } from 'node:module';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { NODE_BUILD, NODE_PLUGINS } from '../build/node-bundle.ts';
import { REPOSITORY } from './repository.ts';

const DIST = join(REPOSITORY, 'packages/cli/dist');

/** Builds the command `placard`: one file that needs nothing but Node. */
export async function buildCli(): Promise<void> {
  // Moved, so that nobody starts half of one.
  const draft = `${DIST}/.${process.pid}`;
  try {
    await build({
      configFile: false,
      root: REPOSITORY,
      logLevel: 'warn',
      plugins: NODE_PLUGINS,
      ssr: { noExternal: true },
      build: {
        ...NODE_BUILD,
        outDir: draft,
        rolldownOptions: {
          external: [...builtinModules],
          input: { placard: join(REPOSITORY, 'packages/cli/src/main.ts') },
          output: { format: 'es', entryFileNames: '[name].js', codeSplitting: false, comments: false },
        },
      },
    });
    renameSync(join(draft, 'placard.js'), join(DIST, 'placard.js'));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** For vitest, as a global set-up. */
export { buildCli as setup };

if (import.meta.main) {
  await buildCli();
}
