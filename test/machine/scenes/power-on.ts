import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { seedSamples } from '../../../scripts/start/seed-samples.ts';
import { colourPlaylist, deploy, isColour } from '../fixtures.ts';
import type { Machine, MachineOptions } from '../machine.ts';
import { pairByPhone } from '../pair-by-phone.ts';
import type { Scene } from '../scene.ts';
import type { ScreenReading } from '../screen.ts';
import {
  eventually,
  screenShows,
  showsSomething,
  statusOf,
  type PlayerStatus,
  type Trial,
  type TrialCloud,
} from '../trial.ts';

/** Emulated and beside others: generous, for what counts is the figure in the report. */
export const BOOT_WITHIN_MS = 420_000;
const LOOK_EVERY_MS = 500;

/** What the screen showed from the power on until the player said it was there. */
export interface BootRecord {
  /** Milliseconds from power to the player's first picture. */
  readonly pictureAtMs: number;
  /** What was seen before it and was not black: messages, prompts, desktops. */
  readonly seenBefore: readonly ScreenReading[];
}

/** Text of the firmware, before the system has set up its display. */
const isFirmware = (screen: ScreenReading): boolean => screen.height <= 480;
const FIRST_PICTURE_BLACK = 0.9;
/** A line of text is more than this. */
const NOTHING_BLACK = 0.9999;

/** The window of the browser before its page is there: one shade of grey, or white. */
const isEmptyWindow = ({ black, spread, mean }: ScreenReading): boolean =>
  black < FIRST_PICTURE_BLACK && spread < 3 && Math.max(...mean) - Math.min(...mean) < 6;

/** Another page or picture than this one. */
const isAnother = (before: ScreenReading) => (screen: ScreenReading) =>
  showsSomething(screen) && screen.mean.some((value, channel) => Math.abs(value - before.mean[channel]!) > 5);

/** Looks at the screen from the power on until a page of the player fills it. */
export async function recordBoot(
  machine: Machine,
  label: string,
  withinMs = BOOT_WITHIN_MS,
): Promise<BootRecord> {
  const seenBefore: ScreenReading[] = [];
  for (let count = 0; machine.sincePowerOn() < withinMs; count++) {
    const atMs = machine.sincePowerOn();
    const screen = await machine.look(`${label}-${String(count).padStart(4, '0')}`);
    if (!isFirmware(screen)) {
      if (screen.black < FIRST_PICTURE_BLACK && !isEmptyWindow(screen))
        return { pictureAtMs: atMs, seenBefore };
      if (screen.blackBelowFirmware < NOTHING_BLACK) seenBefore.push(screen);
    }
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(`no picture within ${withinMs} ms; look at ${machine.folder}/${label}-*.png`);
}

/** The player's status once it meets the condition. */
export const playerSays = (
  machine: Machine,
  what: string,
  meets: (status: PlayerStatus) => boolean,
  withinMs = BOOT_WITHIN_MS,
): Promise<PlayerStatus> =>
  eventually(
    `the player to say: ${what}`,
    withinMs,
    async () => {
      const status = await statusOf(machine);
      return status && meets(status) ? status : null;
    },
    1_000,
  );

/** Pairs the machine that is on and waits for it; answers with the device. */
export async function pair(
  trial: Trial,
  machine: Machine,
  name: string,
  orientation?: string,
): Promise<string> {
  const { code } = await playerSays(machine, 'a pairing code', (status) => status.code !== null);
  const { key } = await trial.cloud.admin.post(z.object({ key: z.string() }), '/v1/api-keys', {
    name: `phone for ${name}`,
    scope: 'Write',
  });
  await pairByPhone(trial.cloud, {
    code: code!,
    key,
    name,
    ...(orientation === undefined ? {} : { orientation }),
    picture: join(machine.folder, 'phone.png'),
  });
  return (await playerSays(machine, 'it is paired', (status) => status.device_id !== null)).device_id!;
}

const deviceRow = z.looseObject({ status: z.string(), orientation: z.string() });

const deviceIs = (status: 'online' | 'offline') => (cloud: TrialCloud, device: string) =>
  eventually(
    `the cloud to call the device ${status}`,
    BOOT_WITHIN_MS,
    async () => {
      const row = await cloud.reader.get(deviceRow, `/v1/devices/${device}`);
      return row.status === status;
    },
    2_000,
  );

/** A device whose line has dropped is called online for 90 s more. */
export const deviceOnline = deviceIs('online');
export const deviceOffline = deviceIs('offline');

/** Gives a paired machine a playlist of colours, and waits until it plays. */
export async function playColours(trial: Trial, machine: Machine, device: string): Promise<void> {
  const playlist = await colourPlaylist(trial.cloud, machine.folder, ['red', 'green', 'yellow']);
  await deploy(trial.cloud, playlist, device);
  await screenShows(machine, 'playing', BOOT_WITHIN_MS, isColour('red', 'green', 'yellow'));
}

/** Switched on for the first time, paired with a playlist of colours; what most scenes begin with. */
export async function pairedMachine(
  trial: Trial,
  name: string,
  options: Partial<MachineOptions> = {},
): Promise<{ machine: Machine; device: string }> {
  const machine = await trial.machine(name, options);
  await machine.powerOn();
  const device = await pair(trial, machine, name);
  await playColours(trial, machine, device);
  return { machine, device };
}

function expectQuietBoot({ seenBefore }: BootRecord): void {
  if (seenBefore.length > 0)
    throw new Error(
      `before the picture the screen showed something: ${seenBefore.map(({ file }) => file).join(', ')}`,
    );
}

export const powerOn: Scene = {
  name: 'power-on',
  title: 'Power on, pair from a phone, play, power on again',
  async run(trial) {
    const machine = await trial.machine('power-on');
    await machine.powerOn();
    const first = await recordBoot(machine, 'first-boot');
    trial.note(`first boot: picture after ${(first.pictureAtMs / 1000).toFixed(1)} s`);
    const pairing = await machine.look('pairing');
    expectQuietBoot(first);
    const device = await pair(trial, machine, 'Shop window', 'Portrait');
    const idle = await screenShows(machine, 'paired', BOOT_WITHIN_MS, isAnother(pairing));

    // The sample playlist, then colours that can be told from each other.
    await seedSamples(trial.cloud.admin, join(import.meta.dirname, '../../media'));
    const [samples] = await trial.cloud.admin.get(
      z.array(z.object({ id: z.string() })),
      '/v1/playlists?search=Samples%20in%20order',
    );
    await deploy(trial.cloud, samples!.id, device);
    await playerSays(machine, 'a sample is playing', (status) => status.now_playing !== null);
    await screenShows(machine, 'samples-portrait', BOOT_WITHIN_MS, isAnother(idle));
    await trial.cloud.admin.patch(`/v1/devices/${device}`, { orientation: 'landscape' });
    for (let picture = 0; picture < 6; picture++) {
      await machine.look(`samples-${picture}`);
      await sleep(6_000);
    }
    const colours = await colourPlaylist(trial.cloud, machine.folder, ['red', 'green', 'yellow']);
    await deploy(trial.cloud, colours, device);
    await screenShows(machine, 'colours', BOOT_WITHIN_MS, isColour('red', 'green', 'yellow'));
    await deviceOnline(trial.cloud, device);

    // Memory limits and OOM policy of the unit hold for what draws.
    const outside = await machine.console.run(
      'for pid in $(pgrep chromium; pgrep -f placard-chromium); do cat /proc/$pid/cgroup 2>/dev/null; done | grep -v placard.service || true',
    );
    if (outside !== '') throw new Error(`processes of the player are outside its unit: ${outside}`);

    // Not started anew by anybody for longer than three minutes: a start that systemd does not see finished is ended then.
    const before = await machine.console.run(
      'systemctl show -p MainPID,NRestarts,ActiveState placard.service placard-display.service',
    );
    const until = performance.now() + 200_000;
    while (performance.now() < until) {
      const screen = await machine.look('colours');
      if (!isColour('red', 'green', 'yellow')(screen))
        throw new Error(`not the picture: ${JSON.stringify(screen)}`);
      await sleep(500);
    }
    const after = await machine.console.run(
      'systemctl show -p MainPID,NRestarts,ActiveState placard.service placard-display.service',
    );
    if (after !== before) throw new Error(`the player was started anew by itself:\n${before}\n${after}`);
    if (!after.includes('ActiveState=active'))
      throw new Error(`systemd does not call the player started:\n${after}`);

    for (const boot of ['second', 'third']) {
      await machine.powerCut();
      await machine.powerOn();
      const again = await recordBoot(machine, `${boot}-boot`);
      trial.note(`${boot} boot: picture after ${(again.pictureAtMs / 1000).toFixed(1)} s`);
      expectQuietBoot(again);
      await screenShows(machine, `${boot}-colours`, BOOT_WITHIN_MS, isColour('red', 'green', 'yellow'));
    }
    await machine.powerCut();
  },
};
