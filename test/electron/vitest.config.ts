import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests with the real Electron: run by `npm run test:electron`, not by `npm test`. */
export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, '../..'),
    include: ['test/electron/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
