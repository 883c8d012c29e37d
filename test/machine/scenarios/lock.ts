import { setTimeout as sleep } from 'node:timers/promises';
import { fatImage, plugUsbStick, unplugUsbStick } from '../fat-image.ts';
import type { FatFiles } from '../fat-image.ts';
import { isColour } from '../fixtures.ts';
import type { VirtualMachine } from '../virtual-machine.ts';
import type { Scenario } from '../scenario.ts';
import { BOOT_WITHIN_MS, startPairedMachine } from './power-on.ts';
import { eventually, waitForScreen } from '../scenario-context.ts';

const PICTURE = isColour('red', 'green', 'yellow');
const F_KEYS = Array.from({ length: 12 }, (_, index) => `f${index + 1}`);

/** Key combinations that a stranger at a keyboard would try. */
const ATTEMPTS: readonly (readonly string[])[] = [
  ...F_KEYS.slice(0, 7).map((key) => ['ctrl', 'alt', key]),
  ...F_KEYS.slice(0, 7).map((key) => ['alt', key]),
  ['ctrl', 'alt', 'delete'],
  ['ctrl', 'alt', 'backspace'],
  ['ctrl', 'alt', 't'],
  ['alt', 'f4'],
  ['alt', 'tab'],
  ['alt', 'spc'],
  ['alt', 'left'],
  ['alt', 'home'],
  ...['w', 'n', 't', 'p', 'r', 'o', 's', 'l', 'j', 'h', 'u', 'q', 'd', 'f', 'g'].map((key) => ['ctrl', key]),
  ...['w', 'n', 't', 'i', 'j', 'c', 'r', 'delete', 'q', 'm', 'b', 'o'].map((key) => ['ctrl', 'shift', key]),
  ...F_KEYS.map((key) => [key]),
  ['shift', 'esc'],
  ['esc'],
  ['meta_l'],
  ['meta_l', 'd'],
  ['meta_l', 'r'],
  ['menu'],
  ['shift', 'f10'],
  ['print'],
  ['tab'],
  ['ret'],
  ['spc'],
  ['ctrl', 'minus'],
  ['ctrl', 'equal'],
  ['pause'],
];

/** What other systems open by themselves. */
const STICK: FatFiles = {
  'autorun.inf': { text: '[autorun]\r\nopen=index.html\r\n' },
  'autorun.sh': { text: '#!/bin/sh\nreboot\n' },
  'index.html': { text: '<h1>From a stick</h1>' },
};

const SYSRQ = ['r', 'e', 'i', 's', 'u', 'b', 'o', 'k', 'f', 'c'];

async function expectPicture(machine: VirtualMachine, after: string): Promise<void> {
  await sleep(1_500);
  const label = `after-${after.replaceAll(' ', '-')}`;
  const screen = await machine.takeScreenshot(label);
  if (!PICTURE(screen)) {
    // The screenshot may show a transition: take another one.
    await sleep(1_500);
    const again = await machine.takeScreenshot(label);
    if (!PICTURE(again)) {
      throw new Error(`after ${after} the screen is not the picture: ${again.file}`);
    }
  }
}

async function clickMouse(
  machine: VirtualMachine,
  button: 'left' | 'right' | 'middle',
  holdMs: number,
): Promise<void> {
  const send = (events: object[]) => machine.monitor.call('input-send-event', { events });
  await send([
    { type: 'abs', data: { axis: 'x', value: 12_000 } },
    { type: 'abs', data: { axis: 'y', value: 9_000 } },
  ]);
  await send([{ type: 'btn', data: { button, down: true } }]);
  await sleep(holdMs);
  await send([{ type: 'btn', data: { button, down: false } }]);
}

export const lock: Scenario = {
  name: 'lock',
  title: 'A stranger with a keyboard, a mouse and a USB stick',
  async run(context) {
    const { machine } = await startPairedMachine(context, 'lock');
    const show =
      'systemctl show -p MainPID,NRestarts placard.service placard-display.service; cat /sys/class/tty/tty0/active; cat /proc/sys/kernel/random/boot_id';
    const before = await machine.console.run(show);
    for (const keys of ATTEMPTS) {
      await machine.press(...keys);
      await expectPicture(machine, keys.join(' '));
    }
    for (const key of SYSRQ) {
      await machine.press('alt', 'sysrq', key);
      await expectPicture(machine, `alt sysrq ${key}`);
    }
    await clickMouse(machine, 'right', 100);
    await expectPicture(machine, 'the right button');
    await clickMouse(machine, 'left', 3_000);
    await expectPicture(machine, 'a long press');
    await clickMouse(machine, 'middle', 100);
    await expectPicture(machine, 'the middle button');

    // Neither a USB stick nor a second keyboard opens anything.
    const stick = fatImage(context.folder, 'stick', STICK, { label: 'STRANGER' });
    await plugUsbStick(machine, 'stranger', stick);
    await eventually('the system to see the stick', BOOT_WITHIN_MS, () =>
      machine.console.tryRun('test -e /dev/disk/by-label/STRANGER', 20_000),
    );
    await sleep(10_000);
    await expectPicture(machine, 'a USB stick');
    await unplugUsbStick(machine, 'stranger');
    await expectPicture(machine, 'the USB stick is gone');
    await machine.monitor.call('device_add', { driver: 'usb-kbd', id: 'second', bus: 'usb.0' });
    await sleep(5_000);
    await machine.press('ctrl', 'alt', 'f2');
    await expectPicture(machine, 'ctrl alt f2 on a second keyboard');
    await machine.monitor.call('device_del', { id: 'second' });
    await expectPicture(machine, 'the second keyboard is gone');

    // A browser window may take this long to open on a slow machine.
    await sleep(20_000);
    await expectPicture(machine, 'twenty seconds');
    const after = await machine.console.run(show);
    if (after !== before) {
      throw new Error(`a process was restarted, or another console is active:\n${before}\n${after}`);
    }
    const logins = await machine.console.run('ps -eo args | grep -c "[a]getty" || true');
    if (logins !== '0') {
      throw new Error(`${logins} login prompts are running`);
    }

    await machine.press('ctrl', 'alt', 'shift', 's');
    await waitForScreen(machine, 'menu', 30_000, (screen) => !PICTURE(screen) && screen.black < 0.9);
    await machine.press('esc');
    await waitForScreen(machine, 'menu-closed', BOOT_WITHIN_MS, PICTURE);
    context.report(
      `${ATTEMPTS.length + SYSRQ.length} key combinations, mouse, USB stick, second keyboard: nothing opened but the technician's menu`,
    );
    await machine.powerCut();
  },
};
