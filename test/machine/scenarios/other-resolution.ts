import { setTimeout as sleep } from 'node:timers/promises';
import { edidOf } from '../edid.ts';
import { isColour } from '../fixtures.ts';
import type { VirtualMachine } from '../virtual-machine.ts';
import type { Scenario } from '../scenario.ts';
import { installedImage } from '../system-image.ts';
import { HOST_ADDRESS, waitForScreen } from '../scenario-context.ts';
import { BOOT_WITHIN_MS, startPairedMachine } from './power-on.ts';

const PICTURE = isColour('red', 'green', 'yellow');
/** The same card on all systems: the virtio driver gets its modes from QEMU only. */
const GRAPHICS = 'VGA,vgamem_mb=32';
const OTHER = [
  { width: 1280, height: 720 },
  { width: 1024, height: 768 },
  { width: 720, height: 1280 },
];
const FULL_HD = { width: 1920, height: 1080 };

/** Unplugs the display, and plugs in one with this EDID; null: the original one. */
async function swapDisplay(machine: VirtualMachine, edid: Buffer | null): Promise<void> {
  const edidCommand = edid === null ? 'printf reset' : `echo ${edid.toString('base64')} | base64 -d`;
  await machine.console.run(
    `status=$(ls -d /sys/class/drm/card*-Virtual-1 | head -1)/status
override=$(ls -d /sys/kernel/debug/dri/*/Virtual-1 | head -1)/edid_override
echo off >$status
sleep 5
${edidCommand} >$override
echo detect >$status
udevadm settle`,
  );
}

/**
 * Drivers that read the EDID only once, when they start, still list the old modes, and not every driver notifies the
 * compositor of another display: then the mode is set by command.
 */
async function setMode(machine: VirtualMachine, { width, height }: typeof FULL_HD): Promise<string> {
  return machine.console.run(
    `set -a; . /run/placard/display; set +a
sleep 5
if wlr-randr | grep current | grep -q ' ${width}x${height} '; then echo 'by its EDID'; exit; fi
wlr-randr --output Virtual-1 --custom-mode ${width}x${height}@60Hz && echo 'set by wlr-randr'`,
  );
}

/**
 * QEMU 7.2 sets the EDID of a card when it starts, and changes it later only on request of a window (GTK, VNC), for
 * virtio only. Instead, the machine's kernel overrides the EDID, as for a display with a wrong one; above the driver
 * this looks like another display, if the driver reads it again. X keeps its mode unless a program sets another, so
 * there the picture must come back in any size.
 */
export const otherResolution: Scenario = {
  name: 'other-resolution',
  title: 'The screen is unplugged, and others with other resolutions are plugged in',
  async run(context) {
    const amd64 =
      context.system.arch === 'amd64' ? { system: { ...context.system, graphics: GRAPHICS } } : {};
    const server = `http://${HOST_ADDRESS}:${context.cloud.port}`;
    const wayland = context.system.display === 'wayland';
    const { machine } = await startPairedMachine(context, 'other-resolution', {
      ...amd64,
      ...(wayland
        ? {
            image: installedImage(context.system, context.package.file, server, {
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
      const fills = await waitForScreen(machine, name, BOOT_WITHIN_MS, (screen) => {
        const sized = screen.width === panel.width && screen.height === panel.height;
        return PICTURE(screen) && (sized || !wayland);
      });
      context.report(`display ${name}: the picture fills ${fills.width}x${fills.height}, ${how}`);
      // It stays, and moves on to the next item.
      await sleep(15_000);
      await waitForScreen(machine, `${name}-later`, 30_000, PICTURE);
    }
    context.report(
      await machine.console.run('systemctl show -p NRestarts placard.service placard-display.service'),
    );
    await machine.powerCut();
  },
};
