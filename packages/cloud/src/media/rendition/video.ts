import { readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ALL_FORMATS, FilePathSource, Input, Quality } from 'mediabunny';
import type { InputVideoTrack, VideoEncodingConfig, VideoTrackMetadata } from 'mediabunny';
import { VIDEO_BOX } from '../../domain/rendition-sizes.ts';
import { loadDecoder } from '../child/decoder.ts';
import { planeLayout } from '../colours/frame-planes.ts';
import { flushFile, isPartName, partName, unfinishedPartPath } from '../rendition-files.ts';
import type { RefusalReason, RenditionOrder, RenditionReport } from '../rendition-messages.ts';
import { encodePart } from './encode-part.ts';
import { encoderVersions } from './encoder-versions.ts';
import { joinParts } from './join-parts.ts';
import { planParts } from './plan-parts.ts';
import { readColours } from './read-colours.ts';
import type { StoredColours } from './read-colours.ts';
import { toStandardColours, toStandardMatrix } from './standard-colours.ts';

/** Bits per second of a video in full HD; smaller ones get as many for each pixel. */
const BIT_RATE = 8_000_000;
/** Less does not look good in full HD, so longer videos get no rendition. */
const LEAST_BIT_RATE = 1_000_000;
/** So much of the largest file is for the pictures; sound and index take the rest. */
const PICTURE_SHARE = 0.8;
const KEY_FRAME_SECONDS = 2;
/** Of frames that were converted. */
const BT709 = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const;

const failed = (reason: RefusalReason, message: string): RenditionReport => ({
  type: 'failed',
  reason,
  message,
});

/**
 * The video in H.264 with 8 bits, in at most full HD and 30 frames a second, without HDR. Each frame has the time that it has in the
 * original, also where the first one is not at 0: players are told when the original ends. Parts that an earlier process has finished
 * are used again; `tellPart` is called after each other one.
 */
export async function makeVideo(
  { from, to, maxBytes }: RenditionOrder,
  tellPart: () => void,
): Promise<RenditionReport> {
  const missing = await loadDecoder();
  if (missing !== null) {
    return failed('no_encoder', `The package @mediabunny/server cannot be used: ${missing}`);
  }
  const input = new Input({ source: new FilePathSource(from), formats: ALL_FORMATS });
  const track = await input.getPrimaryVideoTrack();
  if (!track) {
    return failed('undecodable', 'The file has no video track.');
  }
  const colours = await readColours(track);
  if (colours.wide && !planeLayout(colours.format)) {
    return failed(
      'high_dynamic_range',
      `The colours of the video cannot be converted: its frames are stored in a rare way (${colours.format ?? 'unknown'}). Export it without HDR.`,
    );
  }
  const size = await fittingSize(track);
  const conversion = conversionOf(colours, !size.isOriginal);
  const bitRate = Math.max(
    LEAST_BIT_RATE,
    (BIT_RATE * size.width * size.height) / (VIDEO_BOX.long * VIDEO_BOX.short),
  );
  const largestRate = (maxBytes * 8 * PICTURE_SHARE) / (await track.computeDuration());
  if (largestRate < LEAST_BIT_RATE) {
    return failed('too_long', 'The video is too long: its file would be too large, or look bad.');
  }
  const encoding: VideoEncodingConfig = {
    codec: 'avc',
    quality: new Quality({ bitrate: Math.round(Math.min(bitRate, largestRate)), bitrateMode: 'variable' }),
    keyFrameInterval: KEY_FRAME_SECONDS,
    hardwareAcceleration: 'prefer-software',
    // The encoder scales frames to the size of its first one.
    sizeChangeBehavior: 'passThrough',
    transform: {
      ...(!size.isOriginal && { width: size.width, height: size.height, fit: 'fill' }),
      ...(conversion && { process: conversion }),
    },
  };
  // Frames that are scaled are turned as well.
  const metadata: VideoTrackMetadata = size.isOriginal
    ? { transformationMatrix: await track.getTransformationMatrix() }
    : {};
  const plan = await planParts(track);
  if (plan.parts.length === 0) {
    return failed('undecodable', 'The video has no frames.');
  }
  const folder = dirname(to);
  const versions = encoderVersions();
  const parts = plan.parts.map((part) => ({ ...part, path: join(folder, partName(part, versions)) }));
  await deleteParts(folder, new Set(parts.map(({ path }) => path)));
  const unfinished = unfinishedPartPath(to);
  for (const part of parts) {
    if (!(await isThere(part.path))) {
      await encodePart({ track, part, step: plan.step, to: unfinished, encoding, metadata });
      await flushFile(unfinished);
      await rename(unfinished, part.path);
      tellPart();
    }
  }
  // Encoders make limited range of full range.
  const told = conversion ? BT709 : { ...colours.told, fullRange: false };
  await joinParts({ original: input, parts, colours: told, to });
  return { type: 'made' };
}

/** Deletes the parts that other versions have left. */
async function deleteParts(folder: string, except: ReadonlySet<string>): Promise<void> {
  const paths = (await readdir(folder)).filter(isPartName).map((name) => join(folder, name));
  await Promise.all(paths.filter((path) => !except.has(path)).map((path) => rm(path)));
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** What makes usual colours of each frame, after it was scaled if it is; null when they stay as they are. */
function conversionOf({ wide, wideIfScaled, changesIfScaled, format }: StoredColours, isScaled: boolean) {
  const stored = isScaled ? wideIfScaled : wide;
  if (stored) {
    return toStandardColours(stored);
  }
  return isScaled && changesIfScaled && planeLayout(format) ? toStandardMatrix : null;
}

/** The size of the rendition, in even numbers of pixels. */
async function fittingSize(track: InputVideoTrack) {
  const [width, height] = [await track.getDisplayWidth(), await track.getDisplayHeight()];
  const scale = Math.min(
    1,
    VIDEO_BOX.long / Math.max(width, height),
    VIDEO_BOX.short / Math.min(width, height),
  );
  const even = (pixels: number) => Math.max(2, 2 * Math.round((pixels * scale) / 2));
  const fitting = { width: even(width), height: even(height) };
  // Encoders do not know pixels that are not square.
  const isOriginal =
    fitting.width === width &&
    fitting.height === height &&
    (await track.getCodedWidth()) === (await track.getSquarePixelWidth()) &&
    (await track.getCodedHeight()) === (await track.getSquarePixelHeight());
  return { ...fitting, isOriginal };
}
