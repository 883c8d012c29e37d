import { operations } from '@placard/protocol/api';
import { must } from '../support/breach.ts';
import type { World } from './world.ts';

/** Holds every way to count plays against the plays that were accepted, also those of screens that are gone. */
export async function sweepReports(world: World): Promise<void> {
  const { api, model, adminKey } = world;
  const plays = [...model.plays];
  const starts = plays.map(([, held]) => held.startedMs).toSorted((a, b) => a - b);
  // Right after one of them, wherever that lies in its hour.
  const cutMs = (starts[Math.floor(starts.length / 2)] ?? 0) + 1;
  const from = new Date(starts.length === 0 ? world.nowMs() : cutMs).toISOString();
  const later = starts.length === 0 ? [] : plays.filter(([, held]) => held.startedMs >= cutMs);
  for (const [query, wanted] of [
    [{}, plays],
    [{ from }, later],
  ] as const) {
    const overview = await api.get(operations.getAnalytics, { query });
    must(
      overview.plays === wanted.length &&
        overview.completed === wanted.length &&
        overview.play_seconds === wanted.length * 10 &&
        overview.devices === model.devices.size,
      'the overview counts otherwise',
      { query, overview, wanted: wanted.length },
    );
    for (const group of ['device', 'content', 'playlist', 'store', 'hour', 'day']) {
      const rows = await api.get(operations.getPlays, { query: { ...query, group_by: group } });
      const sum = rows.reduce((total, row) => total + row.plays, 0);
      must(sum === wanted.length, `plays by ${group} sum up to another number`, {
        query,
        rows,
        wanted: wanted.length,
      });
      if (group !== 'device') continue;
      for (const { key, plays: count } of rows)
        must(
          count === wanted.filter(([, held]) => held.device === key).length,
          'plays of a device are counted otherwise',
          { key, count },
        );
    }
    const csv = await api.client.raw({
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
    must(
      ids.length === wanted.length && wanted.every(([id]) => ids.includes(id)),
      'the export holds other plays',
      { query, ids, wanted },
    );
  }
}
