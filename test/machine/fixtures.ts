import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { z } from 'zod';
import type { Mean, ScreenshotStats } from './screenshot-stats.ts';
import type { HostCloud } from './scenario-context.ts';

const withId = z.object({ id: z.string() });

/** Colours that are distinguishable from each other, from black, and from the player's own pages. */
export const COLOURS = {
  red: [200, 30, 30],
  green: [30, 160, 40],
  yellow: [220, 200, 30],
  purple: [150, 40, 170],
} as const;
export type Colour = keyof typeof COLOURS;

const NEAR = 30;

/** Whether the whole screen has this colour. */
export const isColour =
  (...colours: readonly Colour[]) =>
  (screen: ScreenshotStats): boolean =>
    colours.some((colour) => isNearColour(screen.mean, colour)) && screen.spread < NEAR;

export const isNearColour = (mean: Mean, colour: Colour): boolean =>
  COLOURS[colour].every((value, channel) => Math.abs(mean[channel]! - value) < NEAR);

const rgb = (colour: Colour) => {
  const [r, g, b] = COLOURS[colour];
  return { r, g, b };
};

const SIZE = { width: 1920, height: 1080, channels: 3 } as const;
/** Maximum noise around a picture's colour: invisible, but it makes every picture's bytes unique. */
const NOISE_AMPLITUDE = 8;

function noisyPixels(colour: Colour): Buffer {
  const pixels = randomBytes(SIZE.width * SIZE.height * SIZE.channels);
  for (let at = 0; at < pixels.length; at++) {
    pixels[at] =
      COLOURS[colour][at % SIZE.channels]! + (pixels[at]! % (2 * NOISE_AMPLITUDE + 1)) - NOISE_AMPLITUDE;
  }
  return pixels;
}

/**
 * Uploads a playlist of one picture per colour; existing ones of the same name are not reused. Players identify media by
 * hash and download none twice; `grain` makes new ones of about 3 MB each.
 */
export async function uploadColourPlaylist(
  cloud: HostCloud,
  folder: string,
  colours: readonly Colour[],
  { grain = false, durationSeconds = 10 }: { grain?: boolean; durationSeconds?: number } = {},
): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const items: object[] = [];
  for (const colour of colours) {
    const file = join(folder, `${colour}.png`);
    const picture = grain
      ? sharp(noisyPixels(colour), { raw: SIZE })
      : sharp({ create: { ...SIZE, background: rgb(colour) } });
    await picture.png({ compressionLevel: 1 }).toFile(file);
    const { id } = await cloud.admin.upload(withId, file, 'colour');
    items.push({ content_id: id, duration: durationSeconds });
  }
  const { id } = await cloud.admin.post(withId, '/v1/playlists', {
    name: `Colours ${colours.join(', ')}`,
    mode: 'sequential',
    items,
  });
  return id;
}

/** Uploads a playlist of one picture for a portrait screen, whose upper and lower half have different colours. */
export async function uploadHalvesPlaylist(
  cloud: HostCloud,
  folder: string,
  upper: Colour,
  lower: Colour,
): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const [width, height] = [SIZE.height, SIZE.width];
  const file = join(folder, 'halves.png');
  await sharp({ create: { width, height, channels: SIZE.channels, background: rgb(lower) } })
    .composite([
      {
        input: { create: { width, height: height / 2, channels: SIZE.channels, background: rgb(upper) } },
        gravity: 'north',
      },
    ])
    .png()
    .toFile(file);
  const { id: content } = await cloud.admin.upload(withId, file, 'halves');
  const { id } = await cloud.admin.post(withId, '/v1/playlists', {
    name: `Halves ${upper}, ${lower}`,
    mode: 'sequential',
    items: [{ content_id: content, duration: 10 }],
  });
  return id;
}

/** Deploys a playlist to one device. */
export async function deployPlaylist(cloud: HostCloud, playlist: string, device: string): Promise<void> {
  await cloud.admin.post(withId, `/v1/playlists/${playlist}/deploy`, {
    targets: [{ type: 'device', id: device }],
  });
}

const command = z.object({ id: z.string(), status: z.string(), result: z.unknown().optional() });
export type CommandRow = z.infer<typeof command>;

export type CommandName = 'REFRESH' | 'REBOOT' | 'APP_RESTART' | 'UPDATE_CHECK';

/** Sends a command to a device; returns its id. */
export async function sendCommand(cloud: HostCloud, device: string, name: CommandName): Promise<string> {
  return (await cloud.admin.post(command, `/v1/devices/${device}/commands`, { command: name })).id;
}

export const readCommand = (cloud: HostCloud, id: string): Promise<CommandRow> =>
  cloud.reader.get(command, `/v1/commands/${id}`);
