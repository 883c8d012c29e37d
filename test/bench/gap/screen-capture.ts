import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A strip of the screen at one instant, from top to bottom. */
export interface CapturedFrame {
  /** Milliseconds since 1970. */
  atMs: number;
  /** Mean colours of the cells, three bytes each. */
  cells: Uint8Array;
}

export const CELL_COUNT = 16;
const STRIP_WIDTH = 32;
const FRAMES_PER_SECOND = 60;

/** Captures a strip in the middle of the display, sixty times a second, until `stop`. */
export function captureStrip(
  display: string,
  size: { width: number; height: number },
  onFrame: (frame: CapturedFrame) => void,
): { stop(): Promise<void> } {
  const left = Math.floor((size.width - STRIP_WIDTH) / 2);
  const strip = `-video_size ${STRIP_WIDTH}x${size.height} -i ${display}+${left},0`;
  const ffmpeg = spawn(
    'ffmpeg',
    (
      `-hide_banner -nostats -f x11grab -draw_mouse 0 -framerate ${FRAMES_PER_SECOND} ${strip} ` +
      `-vf scale=1:${CELL_COUNT}:flags=area,format=rgb24,showinfo=checksum=0 ` +
      '-fps_mode passthrough -copyts -f rawvideo -flush_packets 1 -'
    ).split(' '),
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  const times: number[] = [];
  const pictures: Uint8Array[] = [];
  let rest = Buffer.alloc(0);

  // Timestamps arrive on one pipe and pictures on another, in the same order.
  const pair = () => {
    while (times.length > 0 && pictures.length > 0) {
      onFrame({ atMs: times.shift()!, cells: pictures.shift()! });
    }
  };
  createInterface({ input: ffmpeg.stderr }).on('line', (text) => {
    // Integer microseconds since 1970; the time in seconds beside it is rounded.
    const pts = /\bpts:\s*(\d+)/.exec(text)?.[1];
    if (pts === undefined) {
      return;
    }
    times.push(Number(pts) / 1_000);
    pair();
  });
  ffmpeg.stdout.on('data', (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    for (; rest.length >= CELL_COUNT * 3; rest = rest.subarray(CELL_COUNT * 3)) {
      pictures.push(Uint8Array.from(rest.subarray(0, CELL_COUNT * 3)));
    }
    pair();
  });
  const closed = once(ffmpeg, 'close');
  return {
    async stop() {
      ffmpeg.stdin.end('q');
      await closed;
    },
  };
}
