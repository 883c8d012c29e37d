import type { AlertCondition } from '@placard/protocol/api';

/** What a picture looks like, as the inspection process measures it. */
export interface PictureMeasures {
  /** Mean, from 0 for black to 255. */
  luminance: number;
  /** Part of the picture that is nearly black, 0 to 1. */
  dark: number;
  /** 64 bits in hexadecimal digits: whether each place is brighter than the one beside it. Alike pictures differ in few of them. */
  hash: string;
}

/** The last picture of a device that was measured, and what those before it had in common with it. */
export interface PictureSeries extends PictureMeasures {
  received_at: number;
  /** What the player believed to show; null: no content. */
  content_id: string | null;
  /** Pictures up to this one, one after the other, that are black although content was to be seen. */
  black: number;
  /** Pictures up to this one that look alike, counting those alone that should not: other content, or a video that plays. */
  frozen: number;
}

export type PictureCondition = Extract<AlertCondition, { type: 'screen_black' | 'screen_frozen' }>;

export const isAboutPictures = (condition: AlertCondition): condition is PictureCondition =>
  condition.type === 'screen_black' || condition.type === 'screen_frozen';

const BLACK_PART = 0.99;
/** Pictures that are alike: a frozen screen gives the same pixels again, and a change of some words is seen in the luminance. */
const MAX_OTHER_BITS = 1;
const MAX_OTHER_LUMINANCE = 0.5;
/** A picture that comes sooner after another one shows much the same moment. Half of the shortest interval of pictures. */
const MIN_GAP_MS = 150_000;
/** A picture says nothing any more when none has followed it. The longest interval of pictures is a day. */
const MAX_AGE_MS = 25 * 3_600_000;

/** Adds a picture to those before it. One that comes soon after the last one is passed over, unless it ends what was counted. */
export function continueSeries(
  before: PictureSeries | null,
  picture: PictureMeasures & Pick<PictureSeries, 'received_at' | 'content_id'>,
  isVideo: boolean,
): PictureSeries {
  const isShown = picture.content_id !== null;
  const isBlack = isShown && picture.dark >= BLACK_PART;
  const isAlike = isShown && before !== null && before.content_id !== null && looksAlike(before, picture);
  const isSoon = before !== null && picture.received_at - before.received_at < MIN_GAP_MS;
  if (isSoon && (isBlack || before.black === 0) && (isAlike || before.frozen <= 1)) {
    return before;
  }
  const counted = isSoon ? 0 : 1;
  const shouldDiffer = isVideo || before?.content_id !== picture.content_id;
  const alike = isAlike ? before.frozen + (shouldDiffer ? counted : 0) : 1;
  return {
    ...picture,
    black: isBlack ? (before?.black ?? 0) + counted : 0,
    frozen: isShown ? alike : 0,
  };
}

/** How many more pictures like the newest one a device must send until it meets the condition; 0: it does. */
export const missingPictures = (
  { type, pictures }: PictureCondition,
  { received_at, black, frozen }: PictureSeries,
  nowMs: number,
): number =>
  nowMs - received_at > MAX_AGE_MS
    ? Infinity
    : Math.max(0, pictures - (type === 'screen_black' ? black : frozen));

const looksAlike = (one: PictureMeasures, other: PictureMeasures): boolean =>
  otherBits(one.hash, other.hash) <= MAX_OTHER_BITS &&
  Math.abs(one.luminance - other.luminance) <= MAX_OTHER_LUMINANCE;

const otherBits = (one: string, other: string): number =>
  (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(2).replaceAll('0', '').length;
