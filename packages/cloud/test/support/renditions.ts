import { pino } from 'pino';
import { afterAll } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { createMediaInspector } from '../../src/media/inspector.ts';
import { createRenditionMaker } from '../../src/media/rendition-maker.ts';
import type { RenditionMakerOptions } from '../../src/media/rendition-maker.ts';
import { systemClock } from '../../src/system-clock.ts';

/** The structural similarity that each frame of a rendition has at least, as in ADR 0055. */
export const LEAST_SSIM = 0.95;

/** Limits of a process that makes renditions: at the lowest priority a test would take minutes while others run. */
export const NOT_NICER = { nicer: 0 };

/** A folder for the files of originals, with an inspector, until the end of the test file. */
export function openMediaFolder({ useDecoder = true } = {}) {
  const log = pino({ level: 'silent' });
  const mediaDir = tempDir(afterAll);
  // On a busy machine a process of low priority takes many times as long.
  const limits = { deadlineMs: 100_000 };
  const inspector = createMediaInspector({
    clock: systemClock,
    log,
    mediaDir,
    processes: 1,
    useDecoder,
    limits,
  });
  afterAll(() => inspector.close());
  return {
    mediaDir,
    inspector,
    /** What makes renditions of files in the folder. */
    startMaker: ({ limits, ...options }: Partial<RenditionMakerOptions> = {}) =>
      createRenditionMaker({
        clock: systemClock,
        log,
        mediaDir,
        inspector,
        useDecoder,
        disk: { status: () => ({ state: 'ok' }) },
        limits: { ...NOT_NICER, ...limits },
        ...options,
      }),
  };
}
