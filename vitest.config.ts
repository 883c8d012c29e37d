import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests with real processes mostly wait, so even two cores run four files at a time. */
const AT_A_TIME = Math.max(4, availableParallelism());

/** End-to-end tests that measure when a picture is on the screen: one at a time, and nothing beside them. */
const PICTURES = ['stage', 'stage-without-runtime', 'stage-look'].map((name) => `test/e2e/${name}.test.ts`);

const endToEnd = {
  globalSetup: ['test/e2e/build-page.ts'],
  testTimeout: 120_000,
  hookTimeout: 60_000,
};

/** One run, six kinds of test, so that `npm test` ends with one summary. */
export default defineConfig({
  test: {
    maxWorkers: AT_A_TIME,
    globalSetup: ['scripts/build-cloud-pages.ts'],
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
      // Real packages and real dpkg, in temporary root folders.
      {
        test: { name: 'packaging', include: ['test/{packaging,machine}/**/*.test.ts'], testTimeout: 180_000 },
      },
      // Real browsers and real processes.
      { test: { ...endToEnd, name: 'e2e', include: ['test/e2e/**/*.test.ts'], exclude: PICTURES } },
      {
        test: {
          ...endToEnd,
          name: 'pictures',
          include: PICTURES,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
