import { setTimeout as sleep } from 'node:timers/promises';
import { edidOf } from '../edid.ts';
import { isColour } from '../fixtures.ts';
import type { Machine } from '../machine.ts';
import type { Scene } from '../scene.ts';
import { installedImage } from '../system-image.ts';
import { HOST_SEEN_FROM_MACHINE, screenShows } from '../trial.ts';
import { BOOT_WITHIN_MS, pairedMachine } from './power-on.ts';

const PICTURE = isColour('red', 'green', 'yellow');
/** The same card on all systems: the driver of virtio asks QEMU alone for modes. */
const GRAPHICS = 'VGA,vgamem_mb=32';
const OTHER = [
  { width: 1280, height: 720 },
  { width: 1024, height: 768 },
  { width: 720, height: 1280 },
];
const FULL_HD = { width: 1920, height: 1080 };

/** Pulls the display, and plugs in one that says this of itself; null: the first one. */
async function swapDisplay(machine: Machine, edid: Buffer | null): Promise<void> {
  const said = edid === null ? 'printf reset' : `echo ${edid.toString('base64')} | base64 -d`;
  await machine.console.run(
    `status=$(ls -d /sys/class/drm/card*-Virtual-1 | head -1)/status
override=$(ls -d /sys/kernel/debug/dri/*/Virtual-1 | head -1)/edid_override
echo off >$status
sleep 5
${said} >$override
echo detect >$status
udevadm settle`,
  );
}

/**
 * Drivers that read the EDID once, at their start, still name the old modes, and not every driver tells the compositor
 * of another display: then the mode is set by hand.
 */
async function setMode(machine: Machine, { width, height }: typeof FULL_HD): Promise<string> {
  return machine.console.run(
    `set -a; . /run/placard/display; set +a
sleep 5
if wlr-randr | grep current | grep -q ' ${width}x${height} '; then echo 'by its EDID'; exit; fi
wlr-randr --output Virtual-1 --custom-mode ${width}x${height}@60Hz && echo 'set by wlr-randr'`,
  );
}

/**
 * QEMU 7.2 sets the EDID of a card when it starts, and changes it later only on the word of a window (GTK, VNC), for
 * virtio alone. The kernel of the machine puts another EDID in its place instead, as for a display that lies; for
 * everything above the driver that is another display, where the driver asks for it again. X keeps its mode without a program that sets another, so there the
 * picture has to come back in whatever size.
 */
export const otherResolution: Scene = {
  name: 'other-resolution',
  title: 'The screen is unplugged, and others with other resolutions are plugged in',
  async run(trial) {
    const amd64 = trial.system.arch === 'amd64' ? { system: { ...trial.system, graphics: GRAPHICS } } : {};
    const server = `http://${HOST_SEEN_FROM_MACHINE}:${trial.cloud.port}`;
    const wayland = trial.system.display === 'wayland';
    const { machine } = await pairedMachine(trial, 'other-resolution', {
      ...amd64,
      ...(wayland
        ? {
            image: installedImage(trial.system, trial.deb, server, {
              label: 'wlr-randr',
              after: ['apt-get -y install wlr-randr'],
            }),
          }
        : {}),
    });
    for (const panel of [...OTHER, FULL_HD]) {
      const name = `${panel.width}x${panel.height}`;
      await swapDisplay(machine, panel === FULL_HD ? null : edidOf(panel));
      const how = wayland ? await setMode(machine, panel) : 'as X has it';
      const fills = await screenShows(machine, name, BOOT_WITHIN_MS, (screen) => {
        const sized = screen.width === panel.width && screen.height === panel.height;
        return PICTURE(screen) && (sized || !wayland);
      });
      trial.note(`a display of ${name}: the picture fills ${fills.width}x${fills.height}, ${how}`);
      // It stays, and goes on to the next item.
      await sleep(15_000);
      await screenShows(machine, `${name}-later`, 30_000, PICTURE);
    }
    trial.note(
      await machine.console.run('systemctl show -p NRestarts placard.service placard-display.service'),
    );
    await machine.powerCut();
  },
};
