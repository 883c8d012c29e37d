import { join } from 'node:path';
import { corruptFat, fatImage, plugUsbStick, unplugUsbStick } from '../fat-image.ts';
import { isColour } from '../fixtures.ts';
import type { VirtualMachine } from '../virtual-machine.ts';
import type { Scenario } from '../scenario.ts';
import { alteredImage } from '../system-image.ts';
import { eventually, HOST_ADDRESS, waitForScreen, showsSomething } from '../scenario-context.ts';
import type { ScenarioContext } from '../scenario-context.ts';
import {
  BOOT_WITHIN_MS,
  waitForOnline,
  pairMachine,
  playColours,
  waitForStatus,
  recordBoot,
} from './power-on.ts';

const PICTURE = isColour('red', 'green', 'yellow');
const PIN = '471183';

const serverOf = (context: ScenarioContext): string => `http://${HOST_ADDRESS}:${context.cloud.port}`;

/** Installed as documented, but without the address of a cloud. */
const NO_SERVER = { '/etc/placard/config.json': () => null };

/** The boot partition, readable by every computer, mounted as Raspberry Pi OS mounts it. */
const BOOT_PARTITION = {
  '/etc/fstab': (text: string) => `${text}LABEL=bootfs /boot/firmware vfat defaults 0 0\n`,
};

const readProvisioned = (machine: VirtualMachine): Promise<string> =>
  machine.console.run('cat /var/lib/placard/provisioned.json || true', 20_000);

export const bootPartition: Scenario = {
  name: 'provisioning-boot',
  title: 'A placard.json on the boot partition sets a device up at its first boot, and is erased',
  async run(context) {
    const settings = { server: serverOf(context), orientation: 'portrait', menuPin: PIN };
    const disk = fatImage(
      context.folder,
      'boot',
      { 'placard.json': { text: JSON.stringify(settings) } },
      { label: 'bootfs' },
    );
    const machine = await context.createMachine('provisioning-boot', {
      image: alteredImage(context.image, context.folder, { ...NO_SERVER, ...BOOT_PARTITION }),
      more: ['-drive', `file=${disk},if=virtio,format=raw,cache=writeback`],
    });
    await machine.powerOn();
    await recordBoot(machine, 'first-boot');
    await waitForStatus(
      machine,
      'a pairing code of the cloud that placard.json names',
      ({ code }) => code !== null,
    );
    await machine.takeScreenshot('pairing-portrait');
    await waitForStatus(
      machine,
      'the screen is turned',
      ({ orientation }) => orientation.shown === 'portrait',
    );

    const remaining = await machine.console.run(
      `sync; ls /boot/firmware; grep -ac ${PIN} /dev/disk/by-label/bootfs /var/lib/placard/provisioned.json; ls -A /var/lib/placard/import || true`,
    );
    if (
      /placard\.json$/m.test(remaining.replace(/^.*provisioned\.json.*$/m, '')) ||
      /:[1-9]/.test(remaining)
    ) {
      throw new Error(`placard.json or its PIN is still there:\n${remaining}`);
    }

    const device = await pairMachine(context, machine, 'Set up by its card');
    await playColours(context, machine, device);
    await machine.powerCut();
    await machine.powerOn();
    await waitForScreen(machine, 'second-boot', BOOT_WITHIN_MS, PICTURE);
    await waitForOnline(context.cloud, device);
    context.report(
      'paired with the cloud of placard.json, in portrait; the file and the PIN are gone from the partition',
    );
    await machine.powerCut();
  },
};

/** Journal of the USB stick units since the boot. */
const stickJournal = (machine: VirtualMachine): Promise<string> =>
  machine.console.run("journalctl -b -u 'placard-stick@*' -o short-monotonic --no-pager | tail -60");

/** Counts matching lines of the journal since the boot; journalctl fails for a unit without any. */
const countJournalLines = async (machine: VirtualMachine, journal: string, text: string): Promise<number> =>
  Number(
    await machine.console.run(`journalctl -b ${journal} --no-pager 2>/dev/null | grep -c '${text}' || true`),
  );
const countImports = (machine: VirtualMachine) =>
  countJournalLines(machine, "-u 'placard-stick@*'", 'imported placard.json');
const countSticksSeen = (machine: VirtualMachine) =>
  countJournalLines(machine, '-k', 'Attached SCSI removable disk');

export const usbStick: Scenario = {
  name: 'provisioning-stick',
  title:
    'A placard.json on a USB stick while running: damaged, for another cloud, correct, and after pairing',
  async run(context) {
    const image = alteredImage(context.image, context.folder, NO_SERVER);
    const machine = await context.createMachine('provisioning-stick', { image });
    const boot = () => machine.console.run('cat /proc/sys/kernel/random/boot_id');
    await machine.powerOn();
    await recordBoot(machine, 'first-boot');
    await waitForStatus(machine, 'no cloud configured', ({ code }) => code === null);
    const first = await boot();

    const file = (name: string, text: string) =>
      fatImage(join(context.folder, 'sticks'), name, { 'placard.json': { text } });
    const damaged = file('damaged', '{}');
    corruptFat(damaged);
    await plugUsbStick(machine, 'damaged', damaged);
    await eventually('the damaged stick to be looked at', 120_000, async () =>
      /placard-stick@/.test(await stickJournal(machine)),
    );
    await unplugUsbStick(machine, 'damaged');

    await plugUsbStick(machine, 'wrong', file('wrong', JSON.stringify({ sever: serverOf(context) })));
    await eventually('the wrong file to be refused', BOOT_WITHIN_MS, () =>
      machine.console.tryRun('grep "was not imported" /var/lib/placard/logs/shell.log', 20_000),
    );
    await unplugUsbStick(machine, 'wrong');
    await waitForScreen(machine, 'after-wrong', BOOT_WITHIN_MS, showsSomething);

    const settings = { server: serverOf(context), menuPin: PIN };
    const atMs = performance.now();
    await plugUsbStick(machine, 'right', file('right', JSON.stringify(settings)));
    await waitForStatus(
      machine,
      'a pairing code of the cloud that the stick names',
      ({ code }) => code !== null,
    );
    context.report(`USB stick: pairing code after ${Math.round((performance.now() - atMs) / 1000)} s`);
    await waitForScreen(machine, 'pairing', BOOT_WITHIN_MS, showsSomething);
    // The unit mounts it in a private namespace: check the mounts of all processes.
    const mounted = await machine.console.run('grep -ls placard-stick /proc/[0-9]*/mounts || true');
    if (mounted !== '') {
      throw new Error(`a stick is still mounted: ${mounted}`);
    }
    await unplugUsbStick(machine, 'right');
    if ((await boot()) !== first) {
      throw new Error('the machine has rebooted');
    }

    const device = await pairMachine(context, machine, 'Set up by a stick');
    await playColours(context, machine, device);
    const before = await readProvisioned(machine);
    const [looked, sticks] = [await countImports(machine), await countSticksSeen(machine)];
    const evil = JSON.stringify({ server: 'http://evil.example', pin: '0000' });
    await plugUsbStick(machine, 'evil', file('evil', evil));
    await eventually(
      'the stick to be seen by the system',
      60_000,
      async () => (await countSticksSeen(machine)) > sticks,
    );
    // A unit that reads the stick would have run by then.
    await machine.console.run('udevadm settle; sleep 20', 120_000);
    if ((await readProvisioned(machine)) !== before || (await countImports(machine)) !== looked) {
      throw new Error(`a paired player has read a USB stick:\n${await stickJournal(machine)}`);
    }
    await waitForScreen(machine, 'evil-stick', 60_000, PICTURE);
    context.report(`journal of the units:\n${await stickJournal(machine)}`);
    await machine.powerCut();
  },
};

export const stickAtBoot: Scenario = {
  name: 'provisioning-stick-at-boot',
  title: 'A USB stick and a damaged one are plugged in at the first power-on',
  async run(context) {
    const right = fatImage(context.folder, 'right', {
      'placard.json': { text: JSON.stringify({ server: serverOf(context) }) },
    });
    const damaged = fatImage(context.folder, 'damaged', { 'placard.json': { text: '{}' } });
    corruptFat(damaged);
    const machine = await context.createMachine('stick-at-boot', {
      image: alteredImage(context.image, context.folder, NO_SERVER),
      more: [damaged, right].flatMap((image, index) => [
        '-drive',
        `if=none,id=stick${index},file=${image},format=raw`,
        '-device',
        `usb-storage,bus=usb.0,drive=stick${index},removable=on`,
      ]),
    });
    await machine.powerOn();
    const { pictureAtMs } = await recordBoot(machine, 'first-boot');
    await waitForStatus(
      machine,
      'a pairing code of the cloud that the stick names',
      ({ code }) => code !== null,
    );
    context.report(`picture after ${(pictureAtMs / 1000).toFixed(1)} s with two USB sticks`);
    context.report(`journal of the units:\n${await stickJournal(machine)}`);
    await machine.powerCut();
  },
};
