import type { NowPlaying } from '@placard/protocol';
import { conditionOf } from '../database/alert-rules.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import { ignoreBusy } from '../domain/api-error.ts';
import { DAY_MS } from '../domain/durations.ts';
import { continueSeries, isAboutPictures } from '../domain/picture-series.ts';
import type { PictureSeries } from '../domain/picture-series.ts';
import type { JobDeps } from './deps.ts';

/** Pictures per run, one after another, so that uploads are inspected in between. */
const MAX_PICTURES_PER_RUN = 100;

/** Measures the newest pictures of screens while there is a rule for alerts about them. Each picture is attempted once. */
export async function measureScreenshots({
  database,
  blobs,
  inspector,
  clock,
  disk,
}: Pick<JobDeps, 'database' | 'blobs' | 'inspector' | 'clock' | 'disk'>): Promise<void> {
  if (disk.status().state === 'full' || !(await isMeasured(database))) {
    return;
  }
  const nowMs = clock.nowMs();
  const measured: { deviceId: string; receivedMs: number; series: PictureSeries | null }[] = [];
  try {
    for (const row of await database.screenshots.unmeasured(nowMs - DAY_MS, MAX_PICTURES_PER_RUN)) {
      const found = await blobs.withFile(row.sha256, (path) => inspector.measure(path, 'screenshots'));
      const before: PictureSeries | null = row.measures === null ? null : JSON.parse(row.measures);
      const current: NowPlaying | null = row.current === null ? null : JSON.parse(row.current);
      const contentId = current?.content_id ?? null;
      const isVideo = contentId !== null && (await database.assets.find(contentId))?.type === 'video';
      const series =
        found && 'hash' in found
          ? continueSeries(before, { ...found, received_at: row.received_at, content_id: contentId }, isVideo)
          : // It says nothing.
            before;
      measured.push({ deviceId: row.device_id, receivedMs: row.received_at, series });
    }
  } catch (error) {
    ignoreBusy(error);
  }
  if (measured.length > 0) {
    await database.transaction(async (tx) => {
      for (const { deviceId, receivedMs, series } of measured) {
        await tx.screenshots.setMeasures(deviceId, receivedMs, { series, nowMs });
      }
    });
  }
}

async function isMeasured({ alertRules }: Pick<CloudDatabase, 'alertRules'>): Promise<boolean> {
  const rules = await alertRules.listActive();
  return rules.some((rule) => isAboutPictures(conditionOf(rule)));
}
