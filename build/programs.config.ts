import { builtinModules } from 'node:module';
import { resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const root = resolve(import.meta.dirname, '..');

/**
 * What every start reads: in one piece it is there in two thirds of the time that its some two hundred small files
 * take, and in less on an SD card.
 */
const READ_AT_EVERY_START = ['pino', 'systeminformation', 'ws', 'zod'];

/**
 * Imported as it is, `node:http` brings Node's own fetch along, which nobody here calls: 15 ms of every start on a
 * PC, and many times that on a small box.
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
 * The programs of a packaged player as plain JavaScript: both shells and the runtime. Our own packages are
 * bundled, for Node strips no types under `node_modules`; the others stay there, some are native.
 */
export default defineConfig({
  root,
  plugins: [httpWithoutFetch],
  ssr: { noExternal: [/^@placard\//, ...READ_AT_EVERY_START] },
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
