import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { z } from 'zod';
import type { ScreenReading } from './screen.ts';
import type { TrialCloud } from './trial.ts';

const withId = z.object({ id: z.string() });

/** Colours that are told apart from each other, from black, and from the pages of the player. */
export const COLOURS = {
  red: [200, 30, 30],
  green: [30, 160, 40],
  yellow: [220, 200, 30],
  purple: [150, 40, 170],
} as const;
export type Colour = keyof typeof COLOURS;

const NEAR = 30;

/** Whether the whole screen is one of the colours. */
export const isColour =
  (...colours: readonly Colour[]) =>
  (screen: ScreenReading): boolean =>
    colours.some((colour) =>
      COLOURS[colour].every((value, channel) => Math.abs(screen.mean[channel]! - value) < NEAR),
    ) && screen.spread < NEAR;

const SIZE = { width: 1920, height: 1080, channels: 3 } as const;
/** So much is the grain of a picture away from its colour at most: too little for the eye, and no two are the same. */
const GRAIN = 8;

function grainy(colour: Colour): Buffer {
  const pixels = randomBytes(SIZE.width * SIZE.height * SIZE.channels);
  for (let at = 0; at < pixels.length; at++)
    pixels[at] = COLOURS[colour][at % SIZE.channels]! + (pixels[at]! % (2 * GRAIN + 1)) - GRAIN;
  return pixels;
}

/**
 * A playlist of one picture a colour, uploaded anew: names are not looked at. A player knows pictures by what is in
 * them and fetches none twice; `grain` makes new ones of some 3 MB each.
 */
export async function colourPlaylist(
  cloud: TrialCloud,
  folder: string,
  colours: readonly Colour[],
  { grain = false, durationSeconds = 10 }: { grain?: boolean; durationSeconds?: number } = {},
): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const items: object[] = [];
  for (const colour of colours) {
    const [r, g, b] = COLOURS[colour];
    const file = join(folder, `${colour}.png`);
    const picture = grain
      ? sharp(grainy(colour), { raw: SIZE })
      : sharp({ create: { ...SIZE, background: { r, g, b } } });
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

/** Makes a playlist the base of one device. */
export async function deploy(cloud: TrialCloud, playlist: string, device: string): Promise<void> {
  await cloud.admin.post(withId, `/v1/playlists/${playlist}/deploy`, {
    targets: [{ type: 'device', id: device }],
  });
}

const command = z.object({ id: z.string(), status: z.string(), result: z.unknown().optional() });
export type CommandRow = z.infer<typeof command>;

/** Sends a command to a device; answers with its id. */
export async function sendCommand(
  cloud: TrialCloud,
  device: string,
  name: 'REFRESH' | 'REBOOT' | 'APP_RESTART' | 'UPDATE_CHECK',
): Promise<string> {
  return (await cloud.admin.post(command, `/v1/devices/${device}/commands`, { command: name })).id;
}

export const commandRow = (cloud: TrialCloud, id: string): Promise<CommandRow> =>
  cloud.reader.get(command, `/v1/commands/${id}`);
