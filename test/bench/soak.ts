/**
 * Finds leaks after weeks of playback: thousands of fast transitions of mixed media in a real browser with software
 * rendering and decoding. `npm run bench:soak -- [transitions]` (8000; about half an hour). Needs ffmpeg.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { setup as buildPage } from '../e2e/build-page.ts';
import { imageShowing, videoShowing } from '../e2e/stage-host.ts';
import { makeMedia } from './gap/media.ts';
import type { MediaFile } from './gap/media.ts';
import { openDevtoolsPage } from './soak/devtools-page.ts';
import { countBlobUrls, readPageMemory, watchRenderer } from './soak/page-memory.ts';
import type { PageMemory, RendererMemory } from './soak/page-memory.ts';
import { runTransitions } from './soak/transitions.ts';

const MAX_RENDERER_MB = 400;
const MAX_GROWTH = 0.03;
/** Number of reported intervals: 400 of 8,000 transitions each, in which each file is shown equally often. */
const SAMPLES = 20;
/** The last quarter: 2,000 of 8,000. */
const LAST_PART = 0.75;
const WARMUP_TRANSITIONS = 100;

const print = (text = '') => process.stdout.write(`${text}\n`);
const transitions = Number(process.argv[2] ?? 8_000);

/** Memory after a number of transitions, and its use during them. */
type Sample = PageMemory & RendererMemory;

function printSample(done: number, sample: Sample, sinceMs: number): void {
  const { nodes, listeners, heapMb, blobUrls, levelMb, ownMb, peakMb } = sample;
  const each = Math.round((performance.now() - sinceMs) / done);
  print(
    `  ${String(done).padStart(5)}  renderer ${levelMb.toFixed(0)} MB, ${ownMb.toFixed(0)} without the program, at most ${peakMb.toFixed(0)}  heap ${heapMb.toFixed(2)} MB  nodes ${nodes}  listeners ${listeners}  blob addresses ${blobUrls}  (${each} ms each)`,
  );
}

async function soak(files: readonly MediaFile[]): Promise<Sample[]> {
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
    for (const to of [
      WARMUP_TRANSITIONS,
      ...Array.from({ length: SAMPLES }, (_, i) => ((i + 1) * transitions) / SAMPLES),
    ]) {
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

function meetsLimits(samples: readonly Sample[]): boolean {
  const [first, last] = [samples[0]!, samples.at(-1)!];
  const then = samples[Math.floor(samples.length * LAST_PART)]!;
  const growth = (last.ownMb - then.ownMb) / then.levelMb;
  const largestMb = Math.max(...samples.map(({ peakMb }) => peakMb));
  const judgements: [string, boolean][] = [
    [`renderer at most ${largestMb.toFixed(0)} MB (< ${MAX_RENDERER_MB})`, largestMb < MAX_RENDERER_MB],
    [`renderer grew by ${(100 * growth).toFixed(1)} % over the last quarter (< 3 %)`, growth < MAX_GROWTH],
    [`nodes ${first.nodes} to ${last.nodes}`, last.nodes <= first.nodes * 1.05 + 5],
    [`listeners ${first.listeners} to ${last.listeners}`, last.listeners <= first.listeners * 1.05 + 5],
    [
      `heap ${first.heapMb.toFixed(2)} to ${last.heapMb.toFixed(2)} MB`,
      last.heapMb <= first.heapMb * 1.2 + 0.5,
    ],
    [`blob addresses left: ${last.blobUrls}`, last.blobUrls === 0],
  ];
  for (const [what, good] of judgements) {
    print(`  ${good ? 'good  ' : 'FAILED'} ${what}`);
  }
  return judgements.every(([, good]) => good);
}

async function main(): Promise<number> {
  const hasFfmpeg = (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => existsSync(join(folder, 'ffmpeg')));
  if (!hasFfmpeg) {
    print('SKIPPED: nothing was measured. Needed: apt-get install ffmpeg');
    return 0;
  }
  const folder = await mkdtemp(join(tmpdir(), 'placard-soak-media-'));
  try {
    print(`Drawing media into ${folder}`);
    await buildPage();
    const files = await makeMedia(folder);
    const [images, videos] = [
      files.filter(({ kind }) => kind === 'image'),
      // 4K pictures and 1080p videos: the maximum for a device without a graphics card.
      files.filter(({ kind, path }) => kind === 'video' && path.includes('1080p')),
    ];
    const mixed = images.flatMap((image, i) => [image, videos[i % videos.length]!]);
    print(`${transitions} transitions, each as soon as the next item is ready`);
    return meetsLimits(await soak(mixed)) ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
