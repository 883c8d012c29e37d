import { builtinModules } from 'node:module';
import { resolve } from 'node:path';
import { defineConfig } from 'vite';
import type { Plugin } from 'vite';

const root = resolve(import.meta.dirname, '..');

/**
 * Read at every start: bundled they load in two thirds of the time that about two hundred small files take, and on an SD
 * card the gain is larger.
 */
const BUNDLED_PACKAGES = ['pino', 'systeminformation', 'ws', 'zod'];

/**
 * A plain import of `node:http` also loads Node's fetch, which nothing here uses: 15 ms of every start on a PC, and many
 * times that on a small device.
 */
const httpWithoutFetch: Plugin = {
  name: 'http-without-fetch',
  enforce: 'pre',
  resolveId: (id) => (id === 'node:http' ? '\0http-without-fetch' : null),
  load: (id) =>
    id === '\0http-without-fetch'
      ? `export const { Agent, createServer, request } = process.getBuiltinModule('node:http');`
      : null,
};

/**
 * The programs of a packaged player as plain JavaScript: both shells and the runtime. The project's own packages are
 * bundled, because Node does not strip types under `node_modules`; the others stay there, some are native.
 */
export default defineConfig({
  root,
  plugins: [httpWithoutFetch],
  ssr: { noExternal: [/^@placard\//, ...BUNDLED_PACKAGES] },
  build: {
    ssr: true,
    outDir: resolve(root, 'dist'),
    emptyOutDir: false,
    target: 'node24',
    minify: false,
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
