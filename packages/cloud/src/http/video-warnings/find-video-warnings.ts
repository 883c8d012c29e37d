import { MAX_WARNED_CONTENT, MAX_WARNED_DEVICES } from '@placard/protocol/api';
import type { VideoWarning } from '@placard/protocol/api';
import { VIDEO_CLASSES } from '@placard/protocol';
import type { ReportingDevice } from '../../database/decoders.ts';
import type { Repositories } from '../../database/cloud-database.ts';
import type { Row } from '../../database/schema.ts';
import { problemOf } from '../../domain/decoders.ts';
import type { DecoderProblem } from '../../domain/decoders.ts';
import { problemWithCopy } from '../../domain/content-rendition.ts';
import { describeVideoWarning } from '../../domain/video-warning-text.ts';
import { demandKey, findDemand } from '../../domain/video-classes.ts';
import type { VideoDemand } from '../../domain/video-classes.ts';
import { createYieldIfLong } from '../../event-loop/yield-if-long.ts';

/** What is known of the video of an asset. */
export type ShownVideo = Pick<Row<'assets'>, 'id' | 'name' | 'codec' | 'width' | 'height' | 'frame_rate'>;

interface ShownVideos {
  /** What is shown; images may be among them. */
  content: Iterable<ShownVideo>;
  /** The ids of the devices that show it, as far as the person who asks may know of them. Awaits `yieldIfLong` in between. */
  findDevices: (yieldIfLong: () => Promise<void>) => Promise<ReadonlySet<string>>;
  /** Whether the files are about to be stored, and have no copies yet. */
  isNew?: boolean;
  /**
   * Leaves out devices that do not show the videos although `findDevices` has found them; of few devices this is less work than
   * of all.
   */
  keep?: (found: readonly ReportingDevice[]) => Promise<readonly ReportingDevice[]>;
}

const CODES = {
  cannot_decode: 'SCREENS_CANNOT_DECODE',
  not_smooth: 'SCREENS_NOT_SMOOTH',
} as const satisfies Record<DecoderProblem, string>;

/**
 * Which of the devices have reported that they cannot play which of the videos. Devices are compared by what they have
 * reported, not one by one: few texts stand for all (`encodeDecoders`).
 */
export async function findVideoWarnings(
  source: Pick<Repositories, 'decoders' | 'organization' | 'renditions'>,
  { content, findDevices, isNew = false, keep = async (found) => found }: ShownVideos,
): Promise<VideoWarning[]> {
  const { decoders } = source;
  // With a copy a screen never plays a video worse than without.
  const videos = groupByDemand(content, new Map());
  if (videos.length === 0) {
    return [];
  }
  const reported = await decoders.listReported();
  const hard = videos.filter(({ demand }) => reported.some((text) => problemOf(text, demand) !== null));
  if (hard.length === 0) {
    return [];
  }
  const shown = hard.flatMap((group) => [...group.videos.values()]);
  const groups = groupByDemand(shown, isNew ? new Map() : await findCopies(source, shown));
  const lacking = reported.filter((text) =>
    groups.some(({ demand, copy }) => problemWithCopy(text, demand, copy) !== null),
  );
  if (lacking.length === 0) {
    return [];
  }
  const yieldIfLong = createYieldIfLong();
  const devices = await findDevices(yieldIfLong);
  const found = await keep(await decoders.findReached(lacking, devices, yieldIfLong));
  const byText = Map.groupBy(found, (device) => device.decoders);
  return groups.flatMap(({ demand, copy, videos }) =>
    (['cannot_decode', 'not_smooth'] as const).flatMap((problem) => {
      const concerned = [...byText].flatMap(([text, alike]) =>
        problemWithCopy(text, demand, copy) === problem ? [alike] : [],
      );
      const video = classOf(demand);
      return concerned.length === 0 || !video ? [] : [toWarning(problem, video, concerned, videos)];
    }),
  );
}

/** What the copies need that devices get where they cannot play these videos, by content. */
async function findCopies(
  { organization, renditions }: Pick<Repositories, 'organization' | 'renditions'>,
  content: readonly ShownVideo[],
): Promise<ReadonlyMap<string, VideoDemand>> {
  const { renditions: policy } = await organization.get();
  const ready = await renditions.findReady(policy === 'off' ? [] : content.map(({ id }) => id));
  return new Map(
    [...ready].flatMap(([id, copy]) => {
      const demand = findDemand(copy);
      return demand ? [[id, demand]] : [];
    }),
  );
}

interface VideosAlike {
  demand: VideoDemand;
  copy: VideoDemand | null;
  videos: Map<string, ShownVideo>;
}

function groupByDemand(
  content: Iterable<ShownVideo>,
  copies: ReadonlyMap<string, VideoDemand>,
): VideosAlike[] {
  const groups = new Map<string, VideosAlike>();
  for (const each of content) {
    const demand = findDemand(each);
    if (demand !== null) {
      const copy = copies.get(each.id) ?? null;
      const key = `${demandKey(demand)} ${copy && demandKey(copy)}`;
      const group = groups.get(key) ?? { demand, copy, videos: new Map<string, ShownVideo>() };
      groups.set(key, group);
      group.videos.set(each.id, each);
    }
  }
  return [...groups.values()];
}

/** The class by which screens are judged. */
function classOf({ index, exceeds }: VideoDemand): VideoWarning['video'] | undefined {
  const video = VIDEO_CLASSES[index];
  return video && exceeds ? { ...video, exceeded: true } : video;
}

function toWarning(
  problem: DecoderProblem,
  video: VideoWarning['video'],
  concerned: readonly (readonly ReportingDevice[])[],
  videos: ReadonlyMap<string, ShownVideo>,
): VideoWarning {
  const concern = {
    video,
    device_count: concerned.reduce((sum, { length }) => sum + length, 0),
    devices: concerned
      .flatMap((alike) => alike.slice(0, MAX_WARNED_DEVICES))
      .map(({ id, name }) => ({ id, name }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .slice(0, MAX_WARNED_DEVICES),
    content_count: videos.size,
    content: [...videos.values()].slice(0, MAX_WARNED_CONTENT).map(({ id, name }) => ({ id, name })),
  };
  return { code: CODES[problem], message: describeVideoWarning(problem, concern), ...concern };
}
