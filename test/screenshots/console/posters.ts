import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import sharp from 'sharp';

/** A picture or video of the seeded organization. */
export interface Poster {
  name: string;
  tags: string[];
  file: Blob;
}

/** Name, words on it, two colours, width, height and tags of a drawn poster. */
const DRAWN: readonly (readonly [string, string, string, string, number, number, string[]])[] = [
  ['Frühstück bis 11 Uhr', 'Frühstück', '#f6a04d', '#b5332e', 1920, 1080, ['food', 'morning']],
  ['Mittagstisch', 'Mittagstisch 9,90', '#2f7d5b', '#0b3b3c', 1920, 1080, ['food', 'lunch']],
  ['Feierabend', 'Happy Hour', '#5a3fa0', '#191541', 1920, 1080, ['drinks']],
  ['Winter sale', '−30 %', '#1d6fa5', '#0b2038', 1080, 1920, ['sale']],
  ['Öffnungszeiten Adventssonntage', 'Advent 13–18 Uhr', '#a02334', '#3a0d16', 1920, 1080, ['info']],
  [
    'Wegweiser Erdgeschoss mit Aufzug, Toiletten, Kundeninformation und dem barrierefreien Ausgang zum Parkhaus Nord',
    '← Aufzug',
    '#37474f',
    '#101a20',
    1920,
    1080,
    ['info', 'wayfinding', 'ground-floor', 'barrierefrei'],
  ],
  ['春の新商品キャンペーン', '新商品', '#f48fb1', '#ad1457', 1080, 1920, ['sale', '季節']],
  ['Gutscheine', 'Gutscheine', '#f2c14e', '#8a5a00', 1200, 1200, ['sale']],
  ['Neue Kollektion', 'Neu', '#ef6f6c', '#465775', 1920, 1080, ['fashion']],
  ['WLAN für Gäste', 'WLAN', '#00897b', '#00332f', 1200, 1200, ['info']],
];

const SAMPLES: readonly (readonly [string, string, string, string[]])[] = [
  ['Wellen (Schleife)', 'sample-waves-1280x720.mp4', 'video/mp4', ['video', 'ambient']],
  ['Blumen hochkant', 'sample-flowers-720x1280.mp4', 'video/mp4', ['video']],
  ['Menu board', 'sample-menu-1080x1920.png', 'image/png', ['food']],
];

export async function drawPosters(): Promise<Poster[]> {
  const drawn = DRAWN.map(async ([name, words, from, to, width, height, tags]) => {
    const picture = await sharp(Buffer.from(drawing(words, from, to, width, height)))
      .jpeg({ quality: 82 })
      .toBuffer();
    return { name, tags, file: new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }) };
  });
  const samples = SAMPLES.map(async ([name, file, type, tags]) => {
    const bytes = await readFile(resolve('test/media', file));
    return { name, tags, file: new Blob([new Uint8Array(bytes)], { type }) };
  });
  return Promise.all([...drawn, ...samples]);
}

function drawing(words: string, from: string, to: string, width: number, height: number): string {
  const size = Math.min(width / (words.length * 0.62), height / 3);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#g)"/>
    <circle cx="${width * 0.82}" cy="${height * 0.2}" r="${Math.min(width, height) * 0.28}" fill="#ffffff22"/>
    <circle cx="${width * 0.1}" cy="${height * 0.95}" r="${Math.min(width, height) * 0.36}" fill="#00000022"/>
    <text x="50%" y="54%" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="${size}" fill="#fff">${words}</text>
  </svg>`;
}
