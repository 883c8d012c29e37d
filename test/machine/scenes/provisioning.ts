import { join } from 'node:path';
import { damage, fatImage, plugStick, pullStick } from '../fat-image.ts';
import { isColour } from '../fixtures.ts';
import type { Machine } from '../machine.ts';
import type { Scene } from '../scene.ts';
import { alteredImage } from '../system-image.ts';
import { eventually, HOST_SEEN_FROM_MACHINE, screenShows, showsSomething, type Trial } from '../trial.ts';
import { BOOT_WITHIN_MS, deviceOnline, pair, playColours, playerSays, recordBoot } from './power-on.ts';

const PICTURE = isColour('red', 'green', 'yellow');
const PIN = '471183';

const serverOf = (trial: Trial): string => `http://${HOST_SEEN_FROM_MACHINE}:${trial.cloud.port}`;

/** Installed as documented, but nobody has said which cloud. */
const NO_SERVER = { '/etc/placard/config.json': () => null };

/** The partition that every computer can read, mounted as Raspberry Pi OS mounts it. */
const BOOT_PARTITION = {
  '/etc/fstab': (text: string) => `${text}LABEL=bootfs /boot/firmware vfat defaults 0 0\n`,
};

const imported = (machine: Machine): Promise<string> =>
  machine.console.run('cat /var/lib/placard/provisioned.json || true', 20_000);

export const bootPartition: Scene = {
  name: 'provisioning-boot',
  title: 'A placard.json on the boot partition sets a box up at its first boot, and loses its secrets',
  async run(trial) {
    const settings = { server: serverOf(trial), orientation: 'portrait', menuPin: PIN };
    const disk = fatImage(
      trial.folder,
      'boot',
      { 'placard.json': { text: JSON.stringify(settings) } },
      { label: 'bootfs' },
    );
    const machine = await trial.machine('provisioning-boot', {
      image: alteredImage(trial.image, trial.folder, { ...NO_SERVER, ...BOOT_PARTITION }),
      more: ['-drive', `file=${disk},if=virtio,format=raw,cache=writeback`],
    });
    await machine.powerOn();
    await recordBoot(machine, 'first-boot');
    await playerSays(
      machine,
      'a pairing code of the cloud that placard.json names',
      ({ code }) => code !== null,
    );
    await machine.look('pairing-portrait');
    await playerSays(machine, 'it is turned', ({ orientation }) => orientation.shown === 'portrait');

    const left = await machine.console.run(
      `sync; ls /boot/firmware; grep -ac ${PIN} /dev/disk/by-label/bootfs /var/lib/placard/provisioned.json; ls -A /var/lib/placard/import || true`,
    );
    if (/placard\.json$/m.test(left.replace(/^.*provisioned\.json.*$/m, '')) || /:[1-9]/.test(left))
      throw new Error(`placard.json or its PIN is still there:\n${left}`);

    const device = await pair(trial, machine, 'Set up by its card');
    await playColours(trial, machine, device);
    await machine.powerCut();
    await machine.powerOn();
    await screenShows(machine, 'second-boot', BOOT_WITHIN_MS, PICTURE);
    await deviceOnline(trial.cloud, device);
    trial.note(
      'paired with the cloud of placard.json, in portrait; the file and the PIN are gone from the partition',
    );
    await machine.powerCut();
  },
};

/** What the units of sticks have said since the boot. */
const stickJournal = (machine: Machine): Promise<string> =>
  machine.console.run("journalctl -b -u 'placard-stick@*' -o short-monotonic --no-pager | tail -60");

/** Lines of the journal since the boot; without any of a unit journalctl complains. */
const count = async (machine: Machine, journal: string, text: string): Promise<number> =>
  Number(
    await machine.console.run(`journalctl -b ${journal} --no-pager 2>/dev/null | grep -c '${text}' || true`),
  );
const timesTaken = (machine: Machine) => count(machine, "-u 'placard-stick@*'", 'took placard.json');
const sticksSeen = (machine: Machine) => count(machine, '-k', 'Attached SCSI removable disk');

export const usbStick: Scene = {
  name: 'provisioning-stick',
  title:
    'A placard.json on a stick in a running box: a damaged one, a wrong one, the right one, one of a stranger',
  async run(trial) {
    const image = alteredImage(trial.image, trial.folder, NO_SERVER);
    const machine = await trial.machine('provisioning-stick', { image });
    const boot = () => machine.console.run('cat /proc/sys/kernel/random/boot_id');
    await machine.powerOn();
    await recordBoot(machine, 'first-boot');
    await playerSays(machine, 'it has no cloud', ({ code }) => code === null);
    const first = await boot();

    const file = (name: string, text: string) =>
      fatImage(join(trial.folder, 'sticks'), name, { 'placard.json': { text } });
    const damaged = file('damaged', '{}');
    damage(damaged);
    await plugStick(machine, 'damaged', damaged);
    await eventually('the damaged stick to be looked at', 120_000, async () =>
      /placard-stick@/.test(await stickJournal(machine)),
    );
    await pullStick(machine, 'damaged');

    await plugStick(machine, 'wrong', file('wrong', JSON.stringify({ sever: serverOf(trial) })));
    await eventually('the wrong file to be refused', BOOT_WITHIN_MS, () =>
      machine.console.tryRun('grep "was not imported" /var/lib/placard/logs/shell.log', 20_000),
    );
    await pullStick(machine, 'wrong');
    await screenShows(machine, 'after-wrong', BOOT_WITHIN_MS, showsSomething);

    const settings = { server: serverOf(trial), menuPin: PIN };
    const atMs = performance.now();
    await plugStick(machine, 'right', file('right', JSON.stringify(settings)));
    await playerSays(
      machine,
      'a pairing code of the cloud that the stick names',
      ({ code }) => code !== null,
    );
    trial.note(`a stick: pairing code after ${Math.round((performance.now() - atMs) / 1000)} s`);
    await screenShows(machine, 'pairing', BOOT_WITHIN_MS, showsSomething);
    // The unit mounts it where nobody else sees it: all processes are asked.
    const mounted = await machine.console.run('grep -ls placard-stick /proc/[0-9]*/mounts || true');
    if (mounted !== '') throw new Error(`a stick is still mounted: ${mounted}`);
    await pullStick(machine, 'right');
    if ((await boot()) !== first) throw new Error('the machine has rebooted');

    const device = await pair(trial, machine, 'Set up by a stick');
    await playColours(trial, machine, device);
    const before = await imported(machine);
    const [looked, sticks] = [await timesTaken(machine), await sticksSeen(machine)];
    const evil = JSON.stringify({ server: 'http://evil.example', pin: '0000' });
    await plugStick(machine, 'evil', file('evil', evil));
    await eventually(
      'the stick to be seen by the system',
      60_000,
      async () => (await sticksSeen(machine)) > sticks,
    );
    // Whoever looks at it does so in this time.
    await machine.console.run('udevadm settle; sleep 20', 120_000);
    if ((await imported(machine)) !== before || (await timesTaken(machine)) !== looked)
      throw new Error(`a paired player has looked at a stick:\n${await stickJournal(machine)}`);
    await screenShows(machine, 'evil-stick', 60_000, PICTURE);
    trial.note(`what the units said:\n${await stickJournal(machine)}`);
    await machine.powerCut();
  },
};

export const stickAtBoot: Scene = {
  name: 'provisioning-stick-at-boot',
  title: 'The stick is in the box when it is switched on for the first time, and a damaged one beside it',
  async run(trial) {
    const right = fatImage(trial.folder, 'right', {
      'placard.json': { text: JSON.stringify({ server: serverOf(trial) }) },
    });
    const damaged = fatImage(trial.folder, 'damaged', { 'placard.json': { text: '{}' } });
    damage(damaged);
    const machine = await trial.machine('stick-at-boot', {
      image: alteredImage(trial.image, trial.folder, NO_SERVER),
      more: [damaged, right].flatMap((image, index) => [
        '-drive',
        `if=none,id=stick${index},file=${image},format=raw`,
        '-device',
        `usb-storage,bus=usb.0,drive=stick${index},removable=on`,
      ]),
    });
    await machine.powerOn();
    const { pictureAtMs } = await recordBoot(machine, 'first-boot');
    await playerSays(
      machine,
      'a pairing code of the cloud that the stick names',
      ({ code }) => code !== null,
    );
    trial.note(`picture after ${(pictureAtMs / 1000).toFixed(1)} s with two sticks in the box`);
    trial.note(`what the units said:\n${await stickJournal(machine)}`);
    await machine.powerCut();
  },
};
