import { expect, test } from 'vitest';
import { modelTrial } from './model/model-trial.ts';

test(
  'random moves over all resources leave the cloud as the documents promise',
  { timeout: 120_000 },
  async () => {
    // One known choice of moves: new ones are looked for by the long form, whose failure names its seed.
    const report = await modelTrial({ runs: 8, moves: 50, seed: 1 });
    expect(report).toMatchObject({ runs: 8 });
    // A trial that is only ever refused proves nothing.
    for (const done of [
      'createPlaylist 201',
      'deployPlaylist 202',
      'createSchedule 201',
      'deleteContent 200',
    ])
      expect(report.tally[done], done).toBeGreaterThan(0);
  },
);
