import { expect, test } from 'vitest';
import { modelTrial } from './model/model-trial.ts';

test(
  'after random operations on all resources the cloud matches the documented behaviour',
  { timeout: 600_000 },
  async () => {
    // Fixed seed; the long trial searches for new sequences and reports its seed on failure.
    const report = await modelTrial({ runs: 8, moves: 50, seed: 1 });
    expect(report).toMatchObject({ runs: 8 });
    // The trial is valid only if operations succeeded.
    for (const done of [
      'createPlaylist 201',
      'deployPlaylist 202',
      'createSchedule 201',
      ...['command', 'add_tags', 'remove_tags', 'set_store', 'set_orientation', 'deploy'].map(
        (action) => `operation ${action} succeeded`,
      ),
      'deleteContent 200',
      'sendPlays 200',
      'socketHeartbeat acknowledged',
      'socketHeartbeat VALIDATION_ERROR',
    ]) {
      expect(report.tally[done], done).toBeGreaterThan(0);
    }
  },
);
