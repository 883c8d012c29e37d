import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { seedSamples } from '../../../scripts/start/seed-samples.ts';
import {
  uploadColourPlaylist,
  uploadHalvesPlaylist,
  deployPlaylist,
  isColour,
  isNearColour,
} from '../fixtures.ts';
import type { VirtualMachine, VirtualMachineOptions } from '../virtual-machine.ts';
import { pairByPhone } from '../pair-by-phone.ts';
import type { Scenario } from '../scenario.ts';
import type { ScreenshotStats } from '../screenshot-stats.ts';
import { eventually, waitForScreen, showsSomething, readPlayerStatus } from '../scenario-context.ts';
import type { PlayerStatus, ScenarioContext, HostCloud } from '../scenario-context.ts';

/** Generous, because emulation is slow and runs side by side; the measured time is in the report. */
export const BOOT_WITHIN_MS = 420_000;
const LOOK_EVERY_MS = 500;

/** The screen from power-on until the player's first picture. */
export interface BootRecord {
  /** Milliseconds from power to the player's first picture. */
  readonly pictureAtMs: number;
  /** Screenshots before it that were not black: messages, prompts, desktops. */
  readonly seenBefore: readonly ScreenshotStats[];
}

/** Text of the firmware, before the system has set up its display. */
const isFirmware = (screen: ScreenshotStats): boolean => screen.height <= 480;
const FIRST_PICTURE_BLACK = 0.9;
/** The first console keeps the text of the firmware, which is this long at most. */
const MAX_FIRMWARE_LINES = 8;
/** A word has more. */
const MAX_LIT_PIXELS = 200;

/** How many lines of text are on the screen, up to the last one that is not empty. */
const countTextLines = ({ litByLine }: ScreenshotStats): number =>
  litByLine.findLastIndex((lit) => lit > 0) + 1;

/** Whether there is anything below this line of text. */
const hasTextBelow = ({ litByLine }: ScreenshotStats, line: number): boolean =>
  litByLine.slice(line).reduce((sum, lit) => sum + lit, 0) > MAX_LIT_PIXELS;

/** The browser's window before its page is loaded: a single grey, or white. */
const isEmptyWindow = ({ black, spread, mean }: ScreenshotStats): boolean =>
  black < FIRST_PICTURE_BLACK && spread < 3 && Math.max(...mean) - Math.min(...mean) < 6;

/** Shows another page or picture than this screenshot. */
const differsFrom = (before: ScreenshotStats) => (screen: ScreenshotStats) =>
  showsSomething(screen) && screen.mean.some((value, channel) => Math.abs(value - before.mean[channel]!) > 5);

/** Shows a QR code beside the pairing code, large and white: the only page with as much contrast. */
const showsPairingCode = (screen: ScreenshotStats): boolean => screen.spread > 45;

/** Takes screenshots from power-on until a page of the player fills the screen. */
export async function recordBoot(
  machine: VirtualMachine,
  label: string,
  withinMs = BOOT_WITHIN_MS,
): Promise<BootRecord> {
  const seenBefore: ScreenshotStats[] = [];
  let firmwareLines = 0;
  for (let count = 0; machine.msSincePowerOn() < withinMs; count++) {
    const atMs = machine.msSincePowerOn();
    const screen = await machine.takeScreenshot(`${label}-${String(count).padStart(4, '0')}`);
    if (isFirmware(screen)) {
      firmwareLines = Math.min(MAX_FIRMWARE_LINES, Math.max(firmwareLines, countTextLines(screen)));
    } else {
      if (screen.black < FIRST_PICTURE_BLACK && !isEmptyWindow(screen)) {
        return { pictureAtMs: atMs, seenBefore };
      }
      if (hasTextBelow(screen, firmwareLines)) {
        seenBefore.push(screen);
      }
    }
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(`no picture within ${withinMs} ms; see ${machine.folder}/${label}-*.png`);
}

/** Waits until the player's status meets the condition. */
export const waitForStatus = (
  machine: VirtualMachine,
  what: string,
  meets: (status: PlayerStatus) => boolean,
  withinMs = BOOT_WITHIN_MS,
): Promise<PlayerStatus> =>
  eventually(
    `the player's status: ${what}`,
    withinMs,
    async () => {
      const status = await readPlayerStatus(machine);
      return status && meets(status) ? status : null;
    },
    1_000,
  );

/** Pairs a machine that is running; returns the device id. */
export async function pairMachine(
  context: ScenarioContext,
  machine: VirtualMachine,
  name: string,
  orientation?: string,
): Promise<string> {
  const { code } = await waitForStatus(machine, 'a pairing code', (status) => status.code !== null);
  const { key } = await context.cloud.admin.post(z.object({ key: z.string() }), '/v1/api-keys', {
    name: `phone for ${name}`,
    scope: 'Write',
  });
  await pairByPhone(context.cloud, {
    code: code!,
    key,
    name,
    ...(orientation === undefined ? {} : { orientation }),
    picture: join(machine.folder, 'phone.png'),
  });
  return (await waitForStatus(machine, 'paired', (status) => status.device_id !== null)).device_id!;
}

const deviceRow = z.looseObject({ status: z.string(), orientation: z.string() });

const waitForDeviceStatus = (status: 'online' | 'offline') => (cloud: HostCloud, device: string) =>
  eventually(
    `the cloud to report the device as ${status}`,
    BOOT_WITHIN_MS,
    async () => {
      const row = await cloud.reader.get(deviceRow, `/v1/devices/${device}`);
      return row.status === status;
    },
    2_000,
  );

/** A device that has lost its connection counts as online for 90 s more. */
export const waitForOnline = waitForDeviceStatus('online');
export const waitForOffline = waitForDeviceStatus('offline');

/** Deploys a playlist of colours to a paired machine, and waits until it plays. */
export async function playColours(
  context: ScenarioContext,
  machine: VirtualMachine,
  device: string,
): Promise<void> {
  const playlist = await uploadColourPlaylist(context.cloud, machine.folder, ['red', 'green', 'yellow']);
  await deployPlaylist(context.cloud, playlist, device);
  await waitForScreen(machine, 'playing', BOOT_WITHIN_MS, isColour('red', 'green', 'yellow'));
}

/** Powers on for the first time and pairs, with a playlist of colours: the start of most scenarios. */
export async function startPairedMachine(
  context: ScenarioContext,
  name: string,
  options: Partial<VirtualMachineOptions> = {},
): Promise<{ machine: VirtualMachine; device: string }> {
  const machine = await context.createMachine(name, options);
  await machine.powerOn();
  const device = await pairMachine(context, machine, name);
  await playColours(context, machine, device);
  return { machine, device };
}

function expectQuietBoot({ seenBefore }: BootRecord): void {
  if (seenBefore.length > 0) {
    throw new Error(
      `before the picture the screen showed something: ${seenBefore.map(({ file }) => file).join(', ')}`,
    );
  }
}

export const powerOn: Scenario = {
  name: 'power-on',
  title: 'Power on, pair from a phone, play, power on again',
  async run(context) {
    const machine = await context.createMachine('power-on');
    await machine.powerOn();
    const first = await recordBoot(machine, 'first-boot');
    context.report(`first boot: picture after ${(first.pictureAtMs / 1000).toFixed(1)} s`);
    expectQuietBoot(first);
    const pairing = await waitForScreen(machine, 'pairing', BOOT_WITHIN_MS, showsPairingCode);
    const device = await pairMachine(context, machine, 'Shop window', 'Portrait');
    const idle = await waitForScreen(machine, 'paired', BOOT_WITHIN_MS, differsFrom(pairing));

    // The sample playlist, then colours that can be distinguished.
    await seedSamples(context.cloud.admin, join(import.meta.dirname, '../../media'));
    const [samples] = await context.cloud.admin.get(
      z.array(z.object({ id: z.string() })),
      '/v1/playlists?search=Samples%20in%20order',
    );
    await deployPlaylist(context.cloud, samples!.id, device);
    await waitForStatus(machine, 'a sample is playing', (status) => status.now_playing !== null);
    await waitForScreen(machine, 'samples-portrait', BOOT_WITHIN_MS, differsFrom(idle));
    const halves = await uploadHalvesPlaylist(context.cloud, machine.folder, 'red', 'green');
    await deployPlaylist(context.cloud, halves, device);
    // Turned clockwise by 90°: the top of the picture is on the right.
    await waitForScreen(
      machine,
      'portrait',
      BOOT_WITHIN_MS,
      ({ meanOfLeftHalf, meanOfRightHalf }) =>
        isNearColour(meanOfRightHalf, 'red') && isNearColour(meanOfLeftHalf, 'green'),
    );
    await deployPlaylist(context.cloud, samples!.id, device);
    await context.cloud.admin.patch(`/v1/devices/${device}`, { orientation: 'landscape' });
    for (let picture = 0; picture < 6; picture++) {
      await machine.takeScreenshot(`samples-${picture}`);
      await sleep(6_000);
    }
    const colours = await uploadColourPlaylist(context.cloud, machine.folder, ['red', 'green', 'yellow']);
    await deployPlaylist(context.cloud, colours, device);
    await waitForScreen(machine, 'colours', BOOT_WITHIN_MS, isColour('red', 'green', 'yellow'));
    await waitForOnline(context.cloud, device);

    // Memory limits and OOM policy of the unit also apply to the browser.
    const { browserProcesses, runtimeProcess } = context.package;
    const running = await machine.console.run(
      `pgrep -cf '${browserProcesses}'; pgrep -cf '${runtimeProcess}'`,
    );
    if (running.split('\n').some((count) => Number(count) === 0)) {
      throw new Error(`the processes of the player have other names: ${running}`);
    }
    const outside = await machine.console.run(
      `for pid in $(pgrep -f '${browserProcesses}|${runtimeProcess}'); do cat /proc/$pid/cgroup; done 2>/dev/null | grep -v placard.service || true`,
    );
    if (outside !== '') {
      throw new Error(`processes of the player are outside its unit: ${outside}`);
    }

    // No restart for more than three minutes: systemd would time out a start that it does not see as completed.
    const before = await machine.console.run(
      'systemctl show -p MainPID,NRestarts,ActiveState placard.service placard-display.service',
    );
    const until = performance.now() + 200_000;
    while (performance.now() < until) {
      const screen = await machine.takeScreenshot('colours');
      if (!isColour('red', 'green', 'yellow')(screen)) {
        throw new Error(`the screen does not show the picture: ${JSON.stringify(screen)}`);
      }
      await sleep(500);
    }
    const after = await machine.console.run(
      'systemctl show -p MainPID,NRestarts,ActiveState placard.service placard-display.service',
    );
    if (after !== before) {
      throw new Error(`the player has restarted by itself:\n${before}\n${after}`);
    }
    if (!after.includes('ActiveState=active')) {
      throw new Error(`systemd does not report the player as started:\n${after}`);
    }

    for (const boot of ['second', 'third']) {
      await machine.powerCut();
      await machine.powerOn();
      const again = await recordBoot(machine, `${boot}-boot`);
      context.report(`${boot} boot: picture after ${(again.pictureAtMs / 1000).toFixed(1)} s`);
      expectQuietBoot(again);
      await waitForScreen(machine, `${boot}-colours`, BOOT_WITHIN_MS, isColour('red', 'green', 'yellow'));
    }
    await machine.powerCut();
  },
};
