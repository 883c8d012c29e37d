import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The real Electron, for `npm run test:electron`; `npm test` knows nothing of it. */
export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '../..'),
    include: ['test/electron/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
