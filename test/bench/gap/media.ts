import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** Items are identified by colour. Five colours, so that the combinations of colour and kind vary. */
export const PALETTE = [
  { name: 'red', rgb: [200, 40, 40] },
  { name: 'green', rgb: [40, 170, 60] },
  { name: 'blue', rgb: [50, 80, 200] },
  { name: 'yellow', rgb: [210, 190, 40] },
  { name: 'violet', rgb: [170, 60, 180] },
] as const satisfies readonly { name: string; rgb: readonly [number, number, number] }[];

/** Duration of every video in milliseconds. */
export const VIDEO_MS = 1_200;

export type ItemKind = 'image' | 'video';

export interface MediaFile {
  kind: ItemKind;
  path: string;
  /** Index into the palette. */
  colour: number;
  contentType: string;
}

interface Variant {
  name: string;
  size: string;
  noisy: boolean;
}

const VARIANTS: readonly Variant[] = [
  { name: 'plain-1080p', size: '1920x1080', noisy: false },
  { name: 'noisy-4k', size: '3840x2160', noisy: true },
  { name: 'noisy-1080p', size: '1920x1080', noisy: true },
  { name: 'plain-4k', size: '3840x2160', noisy: false },
];

const FRAMES_PER_SECOND = 30;
/** Noise of this size is scaled up to the picture: fine noise would need an extreme bit rate. */
const GRAIN = '480x270';

/** Where media stay between runs: drawing them takes a minute. */
const CACHE_DIR = resolve(import.meta.dirname, '../../../node_modules/.cache/placard-bench-media');

const run = promisify(execFile);

/** Creates all media with ffmpeg, each kind in each variant and colour; existing files are reused. */
export async function makeMedia(folder = CACHE_DIR): Promise<MediaFile[]> {
  await mkdir(folder, { recursive: true });
  const files: MediaFile[] = [];
  for (const kind of ['image', 'video'] as const) {
    for (const variant of VARIANTS) {
      for (const [colour, { name, rgb }] of PALETTE.entries()) {
        const path = join(folder, `${kind}-${variant.name}-${name}.${kind === 'image' ? 'jpg' : 'mp4'}`);
        if (!existsSync(path)) {
          await draw(path, kind, variant, rgb);
        }
        files.push({ kind, path, colour, contentType: kind === 'image' ? 'image/jpeg' : 'video/mp4' });
      }
    }
  }
  return files;
}

async function draw(
  path: string,
  kind: ItemKind,
  { size, noisy }: Variant,
  rgb: readonly [number, number, number],
): Promise<void> {
  const hex = rgb.map((part) => part.toString(16).padStart(2, '0')).join('');
  const source = `color=c=0x${hex}:s=${noisy ? GRAIN : size}:r=${FRAMES_PER_SECOND}:d=${VIDEO_MS / 1_000}`;
  const grain = noisy ? `noise=alls=45:allf=t,scale=${size.replace('x', ':')}:flags=neighbor,` : '';
  const image = `-frames:v 1 -vf ${grain}format=yuvj444p -q:v 3`;
  const video =
    `-vf ${grain}scale=out_color_matrix=bt709:out_range=tv,format=yuv420p ` +
    '-colorspace bt709 -color_primaries bt709 -color_trc bt709 ' +
    '-c:v libx264 -preset ultrafast -crf 34 -movflags +faststart';
  const encode = (kind === 'image' ? image : video).split(' ');
  // Written under another name until it is complete.
  const drawing = join(dirname(path), `drawing-${basename(path)}`);
  await run('ffmpeg', ['-y', '-loglevel', 'error', '-f', 'lavfi', '-i', source, ...encode, drawing]);
  await rename(drawing, path);
}

/** Item `index` of a run: two pictures, two videos, and so on, so that all four kinds of transition are equally frequent. */
export function itemAt(files: readonly MediaFile[], index: number): MediaFile {
  const kind: ItemKind = index % 4 < 2 ? 'image' : 'video';
  const variant = (Math.floor(index / 4) * 2 + (index % 2)) % VARIANTS.length;
  const first = kind === 'image' ? 0 : VARIANTS.length * PALETTE.length;
  const file = files[first + variant * PALETTE.length + (index % PALETTE.length)];
  if (!file) {
    throw new Error('the set of media is not complete');
  }
  return file;
}
