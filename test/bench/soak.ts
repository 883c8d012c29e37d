/**
 * Finds leaks after weeks of playback: fast transitions of mixed media in a real browser with software rendering and
 * decoding. `npm run bench:soak -- --transitions 8000` takes half an hour. Needs ffmpeg.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setup as buildPage } from '../e2e/build-page.ts';
import { imageShowing, videoShowing } from '../e2e/stage-host.ts';
import type { Figure } from './figures.ts';
import { makeMedia } from './gap/media.ts';
import type { MediaFile } from './gap/media.ts';
import { missingPackages, requirePackages } from './not-measured.ts';
import type { Settings } from './settings.ts';
import { openDevtoolsPage } from './soak/devtools-page.ts';
import { countBlobUrls, readPageMemory, watchRenderer } from './soak/page-memory.ts';
import type { PageMemory, RendererMemory } from './soak/page-memory.ts';
import { runTransitions } from './soak/transitions.ts';

const MAX_RENDERER_MB = 400;
const MAX_GROWTH = 0.03;
const TRANSITIONS = 400;
const QUICK_TRANSITIONS = 20;
/** Number of reported intervals: of 8,000 transitions 400 each, in which each file is shown equally often. */
const SAMPLES = 20;
const QUICK_SAMPLES = 2;
/** The last quarter: 2,000 of 8,000. */
const LAST_PART = 0.75;
const WARMUP_TRANSITIONS = 100;
const QUICK_WARMUP_TRANSITIONS = 10;

const print = (text = '') => process.stdout.write(`${text}\n`);

interface Course {
  transitions: number;
  samples: number;
  /** Transitions before the first sample. */
  warmup: number;
}

/** Memory after a number of transitions, and its use during them. */
type Sample = PageMemory & RendererMemory;

function printSample(done: number, sample: Sample, sinceMs: number): void {
  const { nodes, listeners, heapMb, blobUrls, levelMb, ownMb, peakMb } = sample;
  const each = Math.round((performance.now() - sinceMs) / done);
  print(
    `  ${String(done).padStart(5)}  renderer ${levelMb.toFixed(0)} MB, ${ownMb.toFixed(0)} without the program, at most ${peakMb.toFixed(0)}  heap ${heapMb.toFixed(2)} MB  nodes ${nodes}  listeners ${listeners}  blob addresses ${blobUrls}  (${each} ms each)`,
  );
}

async function soak(
  files: readonly MediaFile[],
  { transitions, samples: count, warmup }: Course,
): Promise<Sample[]> {
  const page = await openDevtoolsPage({ width: 1920, height: 1080 });
  const { host } = page;
  try {
    host.send({ type: 'screen', screen: { kind: 'stage' } });
    const urls = await Promise.all(
      files.map(async ({ path }) => host.addMedia(basename(path), await readFile(path))),
    );
    await countBlobUrls(page);
    const showingAt = (index: number) => {
      const which = index % files.length;
      const make = files[which]!.kind === 'image' ? imageShowing : videoShowing;
      return make(String(index), urls[which]!, null);
    };
    const sinceMs = performance.now();
    const samples: Sample[] = [];
    let done = 0;
    for (const to of [warmup, ...Array.from({ length: count }, (_, i) => ((i + 1) * transitions) / count)]) {
      if (to <= done) {
        continue;
      }
      const renderer = watchRenderer(page);
      await runTransitions(host, done, Math.round(to), showingAt);
      done = Math.round(to);
      const now = { ...(await renderer.stop()), ...(await readPageMemory(page)) };
      samples.push(now);
      printSample(done, now, sinceMs);
    }
    return samples;
  } finally {
    await page.close();
  }
}

const figure = (name: string, ours: number, unit: string, goal: number): Figure => ({
  name,
  ours,
  unit,
  limit: null,
  goal,
});
const atFirst = (value: number) => ({ name: 'at first', value });

function toFigures(samples: readonly Sample[], transitions: number): Figure[] {
  const [first, last] = [samples[0]!, samples.at(-1)!];
  const then = samples[Math.floor(samples.length * LAST_PART)]!;
  const growth = (last.ownMb - then.ownMb) / then.levelMb;
  return [
    figure(
      `page after ${transitions.toLocaleString('en')} transitions: largest memory of its renderer`,
      Math.max(...samples.map(({ peakMb }) => peakMb)),
      'MB',
      MAX_RENDERER_MB,
    ),
    figure('… growth over the last quarter', 100 * growth, '%', MAX_GROWTH * 100),
    { ...figure('… heap', last.heapMb, 'MB', 1.5), limit: atFirst(first.heapMb) },
    { ...figure('… nodes', last.nodes, '', 1.1), limit: atFirst(first.nodes) },
    { ...figure('… listeners', last.listeners, '', 1.1), limit: atFirst(first.listeners) },
    figure('… blob addresses that are left', last.blobUrls, '', 0),
  ];
}

export async function measureSoak({ transitions, isQuick }: Settings): Promise<Figure[]> {
  requirePackages(missingPackages({ ffmpeg: 'ffmpeg' }));
  const course = isQuick
    ? {
        transitions: transitions ?? QUICK_TRANSITIONS,
        samples: QUICK_SAMPLES,
        warmup: QUICK_WARMUP_TRANSITIONS,
      }
    : { transitions: transitions ?? TRANSITIONS, samples: SAMPLES, warmup: WARMUP_TRANSITIONS };
  await buildPage();
  const files = await makeMedia();
  const [images, videos] = [
    files.filter(({ kind }) => kind === 'image'),
    // 4K pictures and 1080p videos: the maximum for a device without a graphics card.
    files.filter(({ kind, path }) => kind === 'video' && path.includes('1080p')),
  ];
  const mixed = images.flatMap((image, i) => [image, videos[i % videos.length]!]);
  return toFigures(await soak(mixed, course), course.transitions);
}
