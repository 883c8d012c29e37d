import { MAX_WARNED_CONTENT, MAX_WARNED_DEVICES } from '@placard/protocol/api';
import type { VideoWarning } from '@placard/protocol/api';
import { VIDEO_CLASSES } from '@placard/protocol';
import type { Target } from '@placard/schedule';
import type { NamedDevice } from '../../database/decoders.ts';
import type { Repositories } from '../../database/cloud-database.ts';
import type { Row } from '../../database/schema.ts';
import { problemOf } from '../../domain/decoders.ts';
import type { DecoderProblem } from '../../domain/decoders.ts';
import { describeVideoWarning } from '../../domain/video-warning-text.ts';
import { findVideoClass } from '../../domain/video-classes.ts';
import { createYieldIfLong } from '../../event-loop/yield-if-long.ts';

/** What is known of the video of an asset. */
export type ShownVideo = Pick<Row<'assets'>, 'id' | 'name' | 'codec' | 'width' | 'height' | 'frame_rate'>;

interface ShownVideos {
  /** What is shown; images may be among them. */
  content: Iterable<ShownVideo>;
  targets: readonly Target[];
  /** Those that the person who asks is bound to: no other devices are named or counted. */
  stores: readonly string[] | undefined;
}

const CODES = {
  cannot_decode: 'SCREENS_CANNOT_DECODE',
  not_smooth: 'SCREENS_NOT_SMOOTH',
} as const satisfies Record<DecoderProblem, string>;

/**
 * Which of the devices that the targets reach have reported that they cannot play which of the videos. Devices are compared
 * by what they have reported, not one by one: few texts stand for all (`encodeDecoders`), and in most organizations nobody
 * has reported that something is missing.
 */
export async function findVideoWarnings(
  { devices, decoders }: Pick<Repositories, 'devices' | 'decoders'>,
  { content, targets, stores }: ShownVideos,
): Promise<VideoWarning[]> {
  const byClass = groupByClass(content);
  if (byClass.size === 0 || targets.length === 0) {
    return [];
  }
  const lacking = (await decoders.listReported()).filter((text) =>
    [...byClass.keys()].some((index) => problemOf(text, index) !== null),
  );
  if (lacking.length === 0) {
    return [];
  }
  const yieldIfLong = createYieldIfLong();
  const reached = await devices.findAllReached(targets, yieldIfLong, stores);
  const counted = await decoders.countReached(lacking, reached, MAX_WARNED_DEVICES, yieldIfLong);
  return [...byClass].flatMap(([index, videos]) =>
    (['cannot_decode', 'not_smooth'] as const).flatMap((problem) => {
      const concerned = [...counted].flatMap(([text, each]) =>
        problemOf(text, index) === problem ? [each] : [],
      );
      const video = VIDEO_CLASSES[index];
      return concerned.length === 0 || !video ? [] : [toWarning(problem, video, concerned, videos)];
    }),
  );
}

function groupByClass(content: Iterable<ShownVideo>): Map<number, ReadonlyMap<string, ShownVideo>> {
  const byClass = new Map<number, Map<string, ShownVideo>>();
  for (const each of content) {
    const index = findVideoClass(each);
    if (index !== null) {
      const videos = byClass.get(index) ?? new Map<string, ShownVideo>();
      byClass.set(index, videos.set(each.id, each));
    }
  }
  return byClass;
}

function toWarning(
  problem: DecoderProblem,
  video: VideoWarning['video'],
  concerned: readonly { count: number; first: readonly NamedDevice[] }[],
  videos: ReadonlyMap<string, ShownVideo>,
): VideoWarning {
  const concern = {
    video,
    device_count: concerned.reduce((sum, { count }) => sum + count, 0),
    devices: concerned
      .flatMap(({ first }) => first)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .slice(0, MAX_WARNED_DEVICES),
    content_count: videos.size,
    content: [...videos.values()].slice(0, MAX_WARNED_CONTENT).map(({ id, name }) => ({ id, name })),
  };
  return { code: CODES[problem], message: describeVideoWarning(problem, concern), ...concern };
}
