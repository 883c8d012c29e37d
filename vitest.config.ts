import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** One run, four kinds of test, so that `npm test` ends with one summary. */
export default defineConfig({
  test: {
    // Tests with real processes wait for most of their time, so two files at a time are not too many for two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: 'unit',
          testTimeout: 30_000,
          include: [
            'packages/*/{src,test}/**/*.test.ts',
            'src/**/*.test.ts',
            'renderer/**/*.test.ts',
            'test/*.test.ts',
          ],
        },
      },
      { test: { name: 'contract', include: ['test/contract/**/*.test.ts'], testTimeout: 60_000 } },
      { test: { name: 'integration', include: ['test/integration/**/*.test.ts'], testTimeout: 30_000 } },
      // Real packages, real dpkg, in throw-away roots.
      {
        test: { name: 'packaging', include: ['test/{packaging,machine}/**/*.test.ts'], testTimeout: 180_000 },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/e2e/build-page.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          // Real browsers and real processes: one at a time, and nothing beside them, on a small machine.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
