import type { NowPlaying } from '@placard/protocol';
import type { Screenshot } from '@placard/protocol/api';
import type { Row } from '../database/schema.ts';
import { toIso } from '../domain/iso-time.ts';

/** Names of what it shows; nothing for what does not exist any more. */
interface ShownNames {
  playlist?: string | null | undefined;
  content?: string | null | undefined;
}

export type ScreenshotRow = Omit<Row<'screenshots'>, 'measured_at' | 'measures'> | Row<'fault_screenshots'>;

/** A screenshot as the API has it. */
export function presentScreenshot(row: ScreenshotRow, names: ShownNames): Screenshot {
  const cause =
    'fault_code' in row
      ? { reason: 'fault' as const, fault_code: row.fault_code }
      : { reason: row.reason, fault_code: null };
  const query = cause.fault_code === null ? '' : `fault=${encodeURIComponent(cause.fault_code)}&`;
  const current: NowPlaying | null = row.current === null ? null : JSON.parse(row.current);
  return {
    device_id: row.device_id,
    taken_at: toIso(row.taken_at),
    ...cause,
    size: row.size,
    image_url: `/v1/devices/${row.device_id}/screenshot/image?${query}at=${row.received_at}`,
    current: current && {
      playlist_id: current.playlist_id,
      playlist_name: names.playlist ?? null,
      content_id: current.content_id,
      content_name: names.content ?? null,
      since: current.since,
    },
  };
}
