import { builtinModules } from 'node:module';
import { resolve } from 'node:path';
import { defineConfig } from 'vite';
import { NODE_BUILD, NODE_PLUGINS } from './node-bundle.ts';

const root = resolve(import.meta.dirname, '..');

/**
 * Read at every start: bundled they load in two thirds of the time that about two hundred small files take, and on an SD
 * card the gain is larger.
 */
const BUNDLED_PACKAGES = ['pino', 'systeminformation', 'ws', 'zod'];

/**
 * The programs of a packaged player as plain JavaScript: both shells and the runtime. The project's own packages are
 * bundled, because Node does not strip types under `node_modules`; the others stay there, some are native.
 */
export default defineConfig({
  root,
  plugins: NODE_PLUGINS,
  ssr: { noExternal: [/^@placard\//, ...BUNDLED_PACKAGES] },
  build: {
    ...NODE_BUILD,
    outDir: resolve(root, 'dist'),
    rolldownOptions: {
      external: ['electron', ...builtinModules],
      input: {
        'runtime/main': resolve(root, 'src/runtime/main.ts'),
        'shells/main': resolve(root, 'src/shells/main.ts'),
        'shells/electron/main': resolve(root, 'src/shells/electron/main.ts'),
      },
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js' },
    },
  },
});
