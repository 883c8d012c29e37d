/**
 * Draws the sample media beside this file: posters with sharp, videos frame by frame with sharp and ffmpeg
 * (Debian: `apt-get install ffmpeg fonts-dejavu-core`). Run: `npx node test/media/make-sample-media.ts`.
 * The results are committed; nothing else needs ffmpeg.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const folder = dirname(fileURLToPath(import.meta.url));
const FONT = 'DejaVu Sans, Verdana, sans-serif';

const svg = (width: number, height: number, body: string) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${body}</svg>`,
  );

const text = (x: number, y: number, size: number, fill: string, content: string, extra = '') =>
  `<text x="${x}" y="${y}" font-family="${FONT}" font-size="${size}" fill="${fill}" ${extra}>${content}</text>`;

const gradient = (from: string, to: string, angle = 90) =>
  `<defs><linearGradient id="g" gradientTransform="rotate(${angle})"><stop offset="0" stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#g)"/>`;

const morning = svg(
  1920,
  1080,
  gradient('#1f2a5c', '#f4a259') +
    '<circle cx="1380" cy="760" r="300" fill="#ffd98a"/><circle cx="1380" cy="760" r="220" fill="#ffe9bd"/>' +
    '<path d="M0 820 Q480 700 960 820 T1920 800 V1080 H0Z" fill="#2c3e73"/><path d="M0 920 Q600 820 1200 920 T1920 900 V1080 H0Z" fill="#1b2750"/>' +
    text(130, 330, 150, '#ffffff', 'Good morning', 'font-weight="bold"') +
    text(136, 440, 62, '#ffe9bd', 'Fresh coffee from 7 o’clock'),
);

const menuRows = [
  ['Espresso', '2.20'],
  ['Flat white', '3.60'],
  ['Cappuccino', '3.40'],
  ['Hot chocolate', '3.80'],
  ['Almond croissant', '2.90'],
  ['Lemon tart', '4.10'],
  ['Soup of the day', '5.90'],
];
const menu = svg(
  1080,
  1920,
  '<rect width="100%" height="100%" fill="#12261f"/><rect x="50" y="50" width="980" height="1820" rx="28" fill="none" stroke="#d9b26f" stroke-width="6"/>' +
    text(540, 290, 128, '#f5efe0', 'Today', 'text-anchor="middle" font-weight="bold"') +
    '<path d="M330 360 H750" stroke="#d9b26f" stroke-width="6"/>' +
    menuRows
      .map(
        ([dish = '', price = ''], i) =>
          text(130, 560 + i * 180, 66, '#f5efe0', dish) +
          text(950, 560 + i * 180, 66, '#d9b26f', price, 'text-anchor="end"'),
      )
      .join(''),
);

const offer = svg(
  1200,
  1200,
  '<rect width="100%" height="100%" fill="#e4572e"/><circle cx="600" cy="600" r="480" fill="#f9c846"/><circle cx="600" cy="600" r="420" fill="#fff4d6"/>' +
    text(600, 620, 200, '#e4572e', '2 for 1', 'text-anchor="middle" font-weight="bold"') +
    text(600, 740, 84, '#7a2413', 'every Tuesday', 'text-anchor="middle"'),
);

const wayfinding = svg(
  1600,
  1200,
  gradient('#0b3954', '#087e8b', 45) +
    '<path d="M260 600 H1040 M1040 600 L830 390 M1040 600 L830 810" stroke="#ffffff" stroke-width="92" fill="none" stroke-linecap="round" stroke-linejoin="round"/>' +
    text(260, 300, 110, '#ffffff', 'Garden room', 'font-weight="bold"') +
    text(260, 1010, 76, '#bfe9ee', 'first floor, past the stairs'),
);

/** A video frame at `t` in 0…1; the last frame meets the first, so that a loop has no seam. */
type Frame = (t: number) => Buffer;

const waves: Frame = (t) => {
  const wave = (y: number, height: number, phase: number, fill: string) => {
    let path = `M0 720 L0 ${y}`;
    for (let x = 0; x <= 1280; x += 20) {
      path += ` L${x} ${(y + height * Math.sin((x / 1280) * 4 * Math.PI + 2 * Math.PI * (t + phase))).toFixed(1)}`;
    }
    return `<path d="${path} L1280 720 Z" fill="${fill}"/>`;
  };
  return svg(
    1280,
    720,
    gradient('#03045e', '#90e0ef') +
      wave(380, 40, 0, '#0096c7aa') +
      wave(450, 36, 0.33, '#0077b6bb') +
      wave(530, 30, 0.66, '#023e8add') +
      text(640, 220, 96, '#ffffff', 'Open until eight', 'text-anchor="middle" font-weight="bold"'),
  );
};

const arrival: Frame = (t) => {
  const petals = Array.from({ length: 12 }, (_, i) => {
    const angle = i * 30 + t * 30;
    const length = 190 + 40 * Math.sin(2 * Math.PI * (t + i / 12));
    return `<ellipse cx="360" cy="${700 - length}" rx="52" ry="${length / 2}" fill="hsl(${330 + i * 5},75%,${60 + (i % 3) * 6}%)" transform="rotate(${angle} 360 700)"/>`;
  }).join('');
  return svg(
    720,
    1280,
    gradient('#2b0b3f', '#57167e') +
      petals +
      '<circle cx="360" cy="700" r="90" fill="#ffd166"/>' +
      text(360, 210, 84, '#ffffff', 'New flowers', 'text-anchor="middle" font-weight="bold"') +
      text(360, 1180, 52, '#f3d9ff', 'by the entrance', 'text-anchor="middle"'),
  );
};

const lights: Frame = (t) => {
  const dots = Array.from({ length: 26 }, (_, i) => {
    const x = 640 + 560 * Math.sin(2 * Math.PI * (t * ((i % 3) + 1) + i * 0.377));
    const y = 360 + 300 * Math.cos(2 * Math.PI * (t * ((i % 2) + 1) + i * 0.618));
    return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${24 + (i % 5) * 14}" fill="hsl(${(i * 47) % 360},80%,62%)" fill-opacity="0.55"/>`;
  }).join('');
  return svg(
    1280,
    720,
    '<rect width="100%" height="100%" fill="#10131c"/>' +
      dots +
      text(640, 390, 110, '#ffffff', 'Live tonight', 'text-anchor="middle" font-weight="bold"'),
  );
};

async function makeVideo(
  file: string,
  draw: Frame,
  seconds: number,
  encoder: string[],
  audio: string[] = [],
) {
  const fps = 30;
  const ffmpeg = spawn(
    'ffmpeg',
    [
      '-y',
      '-loglevel',
      'error',
      '-f',
      'image2pipe',
      '-framerate',
      String(fps),
      '-c:v',
      'png',
      '-i',
      '-',
      ...audio,
      ...encoder,
      join(folder, file),
    ],
    { stdio: ['pipe', 'inherit', 'inherit'] },
  );
  const count = seconds * fps;
  for (let i = 0; i < count; i++) {
    const frame = await sharp(draw(i / count))
      .png({ compressionLevel: 1 })
      .toBuffer();
    if (!ffmpeg.stdin.write(frame)) {
      await once(ffmpeg.stdin, 'drain');
    }
  }
  ffmpeg.stdin.end();
  const [code]: unknown[] = await once(ffmpeg, 'close');
  if (code !== 0) {
    throw new Error(`ffmpeg failed on ${file}`);
  }
}

const h264 = [
  '-c:v',
  'libx264',
  '-profile:v',
  'high',
  '-crf',
  '24',
  '-pix_fmt',
  'yuv420p',
  '-movflags',
  '+faststart',
];

await sharp(morning).jpeg({ quality: 86 }).toFile(join(folder, 'sample-morning-1920x1080.jpg'));
await sharp(menu).png({ palette: true }).toFile(join(folder, 'sample-menu-1080x1920.png'));
await sharp(offer).webp({ quality: 86 }).toFile(join(folder, 'sample-offer-1200x1200.webp'));
// Stored lying on its side with EXIF orientation 6, as phones do: right only where orientation is respected.
await sharp(wayfinding)
  .rotate(-90)
  .jpeg({ quality: 86 })
  .withMetadata({ orientation: 6 })
  .toFile(join(folder, 'sample-wayfinding-exif6-1600x1200.jpg'));
await makeVideo(
  'sample-waves-1280x720.mp4',
  waves,
  6,
  [...h264, '-c:a', 'aac', '-b:a', '64k', '-shortest'],
  ['-f', 'lavfi', '-i', 'sine=frequency=220:sample_rate=44100:duration=6,volume=0.05'],
);
await makeVideo('sample-flowers-720x1280.mp4', arrival, 5, [...h264, '-an']);
await makeVideo('sample-lights-1280x720.webm', lights, 4, [
  '-c:v',
  'libvpx-vp9',
  '-crf',
  '34',
  '-b:v',
  '0',
  '-row-mt',
  '1',
  '-an',
]);
