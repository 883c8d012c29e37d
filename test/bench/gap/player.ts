import { createHash, randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { StageShowing } from '@placard/protocol/stage';
import { countFrames, NO_FRAMES } from '../../../src/core/health/frames.ts';
import { createStageServer } from '../../../src/stage-link/server.ts';
import { itemAt, VIDEO_MS } from './media.ts';
import type { MediaFile } from './media.ts';

const RENDERER_DIR = resolve(import.meta.dirname, '../../../dist/renderer');
/** The screen capture needs a moment to start. */
const FIRST_MS = 4_000;
/** Duration of images; videos play to their natural end. */
const IMAGE_MS = 1_000;

export interface BenchPlayer {
  url: string;
  /** Resolves when the last item is on the screen. */
  finished: Promise<void>;
  /** Items that the page could not show. */
  readonly failures: readonly string[];
  /** Video frames that the page has drawn and dropped, as it reports them. */
  readonly frames: { drawn: number; dropped: number };
  close(): Promise<void>;
}

export const expectedMs = (file: MediaFile, index: number): number =>
  index === 0 ? FIRST_MS : file.kind === 'image' ? IMAGE_MS : VIDEO_MS;

/** The real page on the real loopback server, controlled in place of the runtime, with a fixed list of items. */
export async function startPlayer(
  files: readonly MediaFile[],
  count: number,
  onStarted: (index: number) => void,
): Promise<BenchPlayer> {
  const media = new Map<string, { path: string; size: number; contentType: string }>();
  const urls = new Map<string, string>();
  for (const { path, contentType } of files) {
    const sha256 = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    media.set(sha256, { path, size: (await stat(path)).size, contentType });
    urls.set(path, `/media/${sha256}`);
  }
  const failures: string[] = [];
  const frames = { drawn: 0, dropped: 0 };
  let shownFrames = NO_FRAMES;
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();

  const showingAt = (index: number): StageShowing => {
    const file = itemAt(files, index);
    const url = urls.get(file.path);
    if (url === undefined) {
      throw new Error(`${file.path} is not served`);
    }
    const image = file.kind === 'image' || index === 0;
    return {
      id: String(index),
      kind: file.kind,
      url,
      duration_ms: index === count ? null : image ? expectedMs(file, index) : null,
      video_end_ms: file.kind === 'video' ? VIDEO_MS : null,
    };
  };
  const prepare = (index: number) =>
    server.send({ type: 'prepare', showing: showingAt(index), cut: 'after_current' });

  const server = createStageServer({
    rendererDir: RENDERER_DIR,
    session: randomUUID() + randomUUID(),
    log: { info: () => {}, warn: () => {} },
    findMedia: async (sha256) => media.get(sha256) ?? null,
    onConnection: () => {},
    onMessage(message) {
      if ('seq' in message && message.seq) {
        server.send({ type: 'ack', seq: message.seq });
      }
      if (message.type === 'beat') {
        shownFrames = countFrames(shownFrames, message.frames, message.dropped_frames);
        Object.assign(frames, shownFrames.total);
      }
      if (message.type === 'hello') {
        server.send({ type: 'screen', screen: { kind: 'stage' } });
        if (!message.current) {
          prepare(0);
        }
      } else if (message.type === 'started') {
        const index = Number(message.showing_id);
        onStarted(index);
        if (index === count) {
          finish();
        } else {
          prepare(index + 1);
        }
      } else if (message.type === 'failed' || (message.type === 'ended' && message.outcome === 'failed')) {
        failures.push(`${message.showing_id}: ${message.reason}`);
        if (message.type === 'failed') {
          prepare(Number(message.showing_id) + 1);
        }
      }
    },
  });
  await server.listen(0);
  return { url: server.issuePageUrl(), finished, failures, frames, close: () => server.close() };
}
