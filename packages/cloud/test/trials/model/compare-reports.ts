import { operations } from '@placard/protocol/api';
import { assert } from '../support/contract-violation.ts';
import type { World } from './world.ts';

/** Compares all play reports with the accepted plays, including those of removed devices. */
export async function compareReports(world: World): Promise<void> {
  const { api, model, adminKey } = world;
  const plays = [...model.plays];
  const starts = plays.map(([, play]) => play.startedMs).toSorted((a, b) => a - b);
  // Right after one play, at any point within its hour.
  const cutMs = (starts[Math.floor(starts.length / 2)] ?? 0) + 1;
  const from = new Date(starts.length === 0 ? world.nowMs() : cutMs).toISOString();
  const later = starts.length === 0 ? [] : plays.filter(([, play]) => play.startedMs >= cutMs);
  for (const [query, wanted] of [
    [{}, plays],
    [{ from }, later],
  ] as const) {
    const overview = await api.expectSuccess(operations.getAnalytics, { query });
    assert(
      overview.plays === wanted.length &&
        overview.completed === wanted.length &&
        overview.play_seconds === wanted.length * 10 &&
        overview.devices === model.devices.size,
      'the overview has different counts',
      { query, overview, wanted: wanted.length },
    );
    for (const group of ['device', 'content', 'playlist', 'store', 'hour', 'day']) {
      const rows = await api.expectSuccess(operations.getPlays, { query: { ...query, group_by: group } });
      const sum = rows.reduce((total, row) => total + row.plays, 0);
      assert(sum === wanted.length, `plays by ${group} have a different total`, {
        query,
        rows,
        wanted: wanted.length,
      });
      if (group !== 'device') {
        continue;
      }
      for (const { key, plays: count } of rows) {
        assert(
          count === wanted.filter(([, play]) => play.device === key).length,
          'plays of a device have different counts',
          { key, count },
        );
      }
    }
    const csv = await api.client.sendRaw({
      method: 'GET',
      path: `/v1/analytics/plays.csv?${new URLSearchParams(query).toString()}`,
      key: adminKey,
    });
    const ids = csv.bytes
      .toString('utf8')
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => line.split(',')[0]);
    assert(
      ids.length === wanted.length && wanted.every(([id]) => ids.includes(id)),
      'the export has different plays',
      { query, ids, wanted },
    );
  }
}
