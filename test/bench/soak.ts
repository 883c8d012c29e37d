/**
 * Whether weeks of playing leave anything behind: thousands of fast transitions of mixed media in a real browser
 * that draws and decodes in software. `npm run bench:soak -- [transitions]` (8000; about half an hour). Needs ffmpeg.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { setup as buildPage } from '../e2e/build-page.ts';
import { imageShowing, videoShowing } from '../e2e/stage-host.ts';
import { makeMedia, type MediaFile } from './gap/media.ts';
import { startBarePage } from './soak/bare-page.ts';
import { countBlobUrls, readHeld, watchRenderer, type Held, type RendererMemory } from './soak/memory.ts';
import { runTransitions } from './soak/transitions.ts';

const MOST_RENDERER_MB = 400;
const MOST_GROWTH = 0.03;
/** Stretches that are told of: 400 of 8,000, in which each file is on equally often. */
const SAMPLES = 20;
/** The last quarter: 2,000 of 8,000. */
const LAST_PART = 0.75;
const WARM = 100;

const line = (text = '') => process.stdout.write(`${text}\n`);
const transitions = Number(process.argv[2] ?? 8_000);

/** What is held after so many transitions, and the memory that they took. */
type Sample = Held & RendererMemory;

function tell(done: number, held: Sample, sinceMs: number): void {
  const { nodes, listeners, heapMb, blobUrls, levelMb, ownMb, peakMb } = held;
  const each = Math.round((performance.now() - sinceMs) / done);
  line(
    `  ${String(done).padStart(5)}  renderer ${levelMb.toFixed(0)} MB, ${ownMb.toFixed(0)} without the program, at most ${peakMb.toFixed(0)}  heap ${heapMb.toFixed(2)} MB  nodes ${nodes}  listeners ${listeners}  blob addresses ${blobUrls}  (${each} ms each)`,
  );
}

async function soak(files: readonly MediaFile[]): Promise<Sample[]> {
  const page = await startBarePage({ width: 1920, height: 1080 });
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
      WARM,
      ...Array.from({ length: SAMPLES }, (_, i) => ((i + 1) * transitions) / SAMPLES),
    ]) {
      if (to <= done) continue;
      const renderer = watchRenderer(page);
      await runTransitions(host, done, Math.round(to), showingAt);
      done = Math.round(to);
      const now = { ...(await renderer.stop()), ...(await readHeld(page)) };
      samples.push(now);
      tell(done, now, sinceMs);
    }
    return samples;
  } finally {
    await page.close();
  }
}

function judge(held: readonly Sample[]): boolean {
  const [first, last] = [held[0]!, held.at(-1)!];
  const then = held[Math.floor(held.length * LAST_PART)]!;
  const growth = (last.ownMb - then.ownMb) / then.levelMb;
  const largestMb = Math.max(...held.map(({ peakMb }) => peakMb));
  const judgements: [string, boolean][] = [
    [`renderer at most ${largestMb.toFixed(0)} MB (< ${MOST_RENDERER_MB})`, largestMb < MOST_RENDERER_MB],
    [`renderer grew by ${(100 * growth).toFixed(1)} % over the last quarter (< 3 %)`, growth < MOST_GROWTH],
    [`nodes ${first.nodes} to ${last.nodes}`, last.nodes <= first.nodes * 1.05 + 5],
    [`listeners ${first.listeners} to ${last.listeners}`, last.listeners <= first.listeners * 1.05 + 5],
    [
      `heap ${first.heapMb.toFixed(2)} to ${last.heapMb.toFixed(2)} MB`,
      last.heapMb <= first.heapMb * 1.2 + 0.5,
    ],
    [`blob addresses left: ${last.blobUrls}`, last.blobUrls === 0],
  ];
  for (const [what, good] of judgements) line(`  ${good ? 'good  ' : 'FAILED'} ${what}`);
  return judgements.every(([, good]) => good);
}

async function main(): Promise<number> {
  const hasFfmpeg = (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => existsSync(join(folder, 'ffmpeg')));
  if (!hasFfmpeg) {
    line('SKIPPED: nothing was measured. Needed: apt-get install ffmpeg');
    return 0;
  }
  const folder = await mkdtemp(join(tmpdir(), 'placard-soak-media-'));
  try {
    line(`Drawing media into ${folder}`);
    await buildPage();
    const files = await makeMedia(folder);
    const [images, videos] = [
      files.filter(({ kind }) => kind === 'image'),
      // 4K pictures and 1080p videos: what a box without a graphics card can be asked for.
      files.filter(({ kind, path }) => kind === 'video' && path.includes('1080p')),
    ];
    const mixed = images.flatMap((image, i) => [image, videos[i % videos.length]!]);
    line(`${transitions} transitions, each as soon as the next item is ready`);
    return judge(await soak(mixed)) ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
