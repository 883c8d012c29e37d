import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { uploadColourPlaylist, readCommand, deployPlaylist, isColour, sendCommand } from '../fixtures.ts';
import type { PlayerPackage } from '../player-package.ts';
import type { VirtualMachine } from '../virtual-machine.ts';
import type { Scenario } from '../scenario.ts';
import { alteredImage } from '../system-image.ts';
import { eventually, HOST_ADDRESS, waitForScreen } from '../scenario-context.ts';
import type { ScenarioContext } from '../scenario-context.ts';
import {
  BOOT_WITHIN_MS,
  waitForOffline,
  waitForOnline,
  startPairedMachine,
  waitForStatus,
} from './power-on.ts';

const PICTURE = isColour('red', 'green', 'yellow');
const MINUTE_MS = 60_000;

const waitForPicture = (machine: VirtualMachine, label: string) =>
  waitForScreen(machine, label, BOOT_WITHIN_MS, PICTURE);

/** Checks the screen for a while; throws when it does not show the playlist. */
async function assertPictureStays(machine: VirtualMachine, label: string, forMs: number): Promise<void> {
  const until = performance.now() + forMs;
  while (performance.now() < until) {
    await sleep(1_000);
    if (PICTURE(await machine.takeScreenshot(label))) {
      continue;
    }
    // Half of one item and half of the next: the screenshot was taken during a transition.
    await sleep(300);
    const screen = await machine.takeScreenshot(`${label}-again`);
    if (!PICTURE(screen)) {
      throw new Error(`the playlist is not on the screen: ${screen.file} ${JSON.stringify(screen.mean)}`);
    }
  }
}

async function powerCycle(
  machine: VirtualMachine,
  label: string,
  how: { clock?: string; unplugged?: boolean } = {},
) {
  await machine.powerCut();
  await machine.powerOn(how);
  return waitForPicture(machine, `${label}-playing`);
}

/** Boots without a network; it is plugged in two minutes after the first picture. */
export const noNetwork: Scenario = {
  name: 'no-network',
  title: 'The network cable is plugged in after power-on, then unplugged during a download and for a day',
  async run(context) {
    const { machine, device } = await startPairedMachine(context, 'no-network');
    await powerCycle(machine, 'unplugged', { unplugged: true });
    await sleep(2 * MINUTE_MS);
    await machine.plugNetwork(true);
    await waitForOnline(context.cloud, device);
    context.report('booted without a network, played, and was online after the cable was plugged in');

    // A new playlist while the connection breaks repeatedly.
    const next = await uploadColourPlaylist(context.cloud, `${machine.folder}/next`, ['purple'], {
      grain: true,
    });
    await deployPlaylist(context.cloud, next, device);
    for (let cut = 0; cut < 5; cut++) {
      await sleep(300);
      await machine.plugNetwork(false);
      await sleep(3_000);
      await machine.plugNetwork(true);
    }
    await waitForScreen(machine, 'new-playlist', BOOT_WITHIN_MS, isColour('purple'));

    // A day offline: the machine's clock is set forward, so it takes a minute.
    await machine.plugNetwork(false);
    await machine.console.run('date -s "+1 day"');
    await sleep(MINUTE_MS);
    await waitForScreen(machine, 'a-day-later', MINUTE_MS, isColour('purple'));
    await machine.plugNetwork(true);
    await waitForOnline(context.cloud, device);
    await machine.powerCut();
  },
};

/** A router that starts more slowly than the device. */
export const lateDhcp: Scenario = {
  name: 'late-dhcp',
  title:
    'The cable is in at power-on, but the network including DHCP is silent until two minutes after the picture',
  async run(context) {
    const { machine, device } = await startPairedMachine(context, 'late-dhcp');
    await machine.powerCut();
    await machine.powerOn();
    await machine.muteNetwork(true);
    await waitForPicture(machine, 'without-dhcp');
    await sleep(2 * MINUTE_MS);
    await waitForOffline(context.cloud, device);
    context.report(`addresses: ${(await machine.console.run('ip -4 -o addr show scope global')) || 'none'}`);
    await assertPictureStays(machine, 'still-without', 10_000);
    await machine.muteNetwork(false);
    const atMs = performance.now();
    await waitForOnline(context.cloud, device);
    context.report(`online ${Math.round((performance.now() - atMs) / 1000)} s after the network responded`);
    await machine.powerCut();
  },
};

/** A device without a clock battery starts in 2013. */
export const wrongClock: Scenario = {
  name: 'wrong-clock',
  title: 'The clock says 2013 at power-on, with and without a network',
  async run(context) {
    const { machine, device } = await startPairedMachine(context, 'wrong-clock');
    const noteClock = async () =>
      context.report(await machine.console.run("dmesg | grep 'setting system clock' || true; date -Is"));
    await powerCycle(machine, 'clock-2013', { clock: '2013-01-01T00:00:00' });
    await waitForOnline(context.cloud, device);
    await noteClock();
    await powerCycle(machine, 'clock-2013-unplugged', { clock: '2013-01-01T00:00:00', unplugged: true });
    await noteClock();
    await machine.plugNetwork(true);
    await waitForOnline(context.cloud, device);
    await machine.powerCut();
  },
};

/** A name server that never answers, like a router without its uplink: every query runs into its timeout. */
const SILENT_DNS =
  'systemd-run --unit=silent-dns --socket-property=ListenDatagram=127.0.0.1:53 sleep infinity';

export const dnsDead: Scenario = {
  name: 'dns-dead',
  title: 'The host name of the cloud can no longer be resolved',
  async run(context) {
    const name = 'cloud.test';
    const line = `${HOST_ADDRESS} ${name}`;
    const image = alteredImage(context.image, context.folder, {
      '/etc/hosts': (text) => `${text}${line}\n`,
      '/etc/placard/config.json': () => `{ "server": "http://${name}:${context.cloud.port}" }\n`,
    });
    const { machine, device } = await startPairedMachine(context, 'dns-dead', { image });
    await machine.console.run(
      `${SILENT_DNS}; echo 'nameserver 127.0.0.1' >/etc/resolv.conf; sed -i '/${name}/d' /etc/hosts`,
    );
    await machine.console.run('systemctl restart placard', BOOT_WITHIN_MS);
    await waitForPicture(machine, 'playing-without-dns');
    await waitForStatus(machine, 'the cloud cannot be reached', ({ faults }) =>
      faults.some(({ code }) => code === 'cloud.unreachable'),
    );
    await waitForOffline(context.cloud, device);
    await machine.console.run(`echo '${line}' >>/etc/hosts`);
    await waitForOnline(context.cloud, device);
    await machine.powerCut();
  },
};

const faultsOfDevice = z.looseObject({ faults: z.array(z.looseObject({ code: z.string() })) });

/** Fills the disk, including the blocks reserved for root: most of it with large files, the rest block by block. */
async function fill(context: ScenarioContext, machine: VirtualMachine, when: string): Promise<void> {
  const free = await machine.console.run(
    `mkdir -p /filler; n=$(ls /filler | wc -l)
for size in 1G 128M 16M 1M; do
  while fallocate -l $size /filler/$n 2>/dev/null; do n=$((n + 1)); done
  n=$((n + 1))
done
dd if=/dev/zero of=/filler/rest-$n bs=4k 2>/dev/null
sync
stat -f -c '%f blocks free, %a of them for others than root' /`,
    5 * MINUTE_MS,
  );
  context.report(`${when}: ${free}`);
}

export const fullDisk: Scenario = {
  name: 'full-disk',
  title: 'The disk is full to the last block, at run time and at power-on',
  async run(context) {
    const { machine, device } = await startPairedMachine(context, 'full-disk');
    await fill(context, machine, 'at run time');
    await assertPictureStays(machine, 'full', MINUTE_MS);
    await machine.powerCut();
    await machine.powerOn();
    // Also fills space that a boot frees, for example by deleting old logs, before the player starts.
    await eventually('the console', BOOT_WITHIN_MS, () => machine.console.tryRun('true', 5_000));
    await fill(context, machine, 'at power-on');
    await waitForPicture(machine, 'full-boot');
    await assertPictureStays(machine, 'full-boot', MINUTE_MS);
    await waitForOnline(context.cloud, device);
    const reported = await context.cloud.reader.get(faultsOfDevice, `/v1/devices/${device}`);
    context.report(
      `faults reported on a full disk: ${reported.faults.map(({ code }) => code).join(', ') || 'none'}`,
    );
    await machine.console.run('rm -r /filler; sync');
    const id = await sendCommand(context.cloud, device, 'REFRESH');
    await eventually(
      'REFRESH to succeed once the disk has free space',
      BOOT_WITHIN_MS,
      async () => (await readCommand(context.cloud, id)).status === 'succeeded',
      2_000,
    );
    await machine.powerCut();
  },
};

export const smallMemory: Scenario = {
  name: 'small-memory',
  title: 'One gigabyte of memory',
  async run(context) {
    const { machine } = await startPairedMachine(context, 'small-memory', { memoryMegabytes: 1024 });
    await assertPictureStays(machine, 'small', 2 * MINUTE_MS);
    context.report(
      await machine.console.run(
        'free -m | sed -n 2p; systemctl show -p NRestarts placard.service; journalctl -b -k --no-pager | grep -ci "out of memory" || true',
      ),
    );
    await machine.powerCut();
  },
};

/** Processes to kill or stop: name, command, and a command to undo it where no supervisor does. */
const processKillsOf = ({
  runtimeProcess,
  browserProcesses,
}: PlayerPackage): readonly (readonly [what: string, command: string, undo?: string])[] => [
  ['the window', 'pkill -KILL -f -- --type=renderer'],
  ['the browser', `pkill -KILL -o -f '${browserProcesses}'`],
  ['the GPU process', 'pkill -KILL -f -- --type=gpu-process'],
  ['the runtime', `pkill -KILL -f ${runtimeProcess}`],
  ['the shell of the player', 'systemctl kill -s KILL --kill-who=main placard.service'],
  ['the whole unit', 'systemctl kill -s KILL placard.service'],
  ['the display', 'systemctl kill -s KILL placard-display.service'],
  ['the session', 'loginctl terminate-user placard'],
  [
    'the shell, stopped',
    'kill -STOP $(systemctl show -p MainPID --value placard.service)',
    // Otherwise the stopped shell could not restart the runtime that is stopped next.
    'kill -CONT $(systemctl show -p MainPID --value placard.service)',
  ],
  ['the runtime, stopped', `pkill -STOP -f ${runtimeProcess}`],
  ['the whole unit, stopped', 'systemctl kill -s STOP placard.service'],
  ['the display, stopped', 'systemctl kill -s STOP placard-display.service'],
];

export const processKills: Scenario = {
  name: 'deaths',
  title: 'Window, browser, runtime, shell, display and session are killed, and stopped with SIGSTOP',
  async run(context: ScenarioContext) {
    const { machine } = await startPairedMachine(context, 'deaths');
    for (const [what, command, undo] of processKillsOf(context.package)) {
      await machine.console.run(command);
      const startedMs = performance.now();
      // A stopped process may keep its picture: wait for the next item.
      await sleep(12_000);
      await waitForPicture(machine, 'back');
      const before = await machine.takeScreenshot('one');
      await eventually(`the next item after the end of ${what}`, BOOT_WITHIN_MS, async () => {
        const now = await machine.takeScreenshot('next');
        return (
          PICTURE(now) && now.mean.some((value, channel) => Math.abs(value - before.mean[channel]!) > 40)
        );
      });
      if (undo !== undefined) {
        await machine.console.run(undo);
      }
      context.report(
        `${what}: playback continued after ${Math.round((performance.now() - startedMs) / 1000)} s at most`,
      );
    }
    await machine.powerCut();
  },
};

export const screenUnplugged: Scenario = {
  name: 'screen-unplugged',
  title: 'The screen is unplugged and plugged in again',
  async run(context) {
    const { machine } = await startPairedMachine(context, 'screen-unplugged');
    const connector = await machine.console.run('ls -d /sys/class/drm/card*-Virtual-1 | head -1');
    const card = connector.replace(/-Virtual-1$/, '');
    const plug = (status: 'off' | 'detect') =>
      machine.console.run(
        `echo ${status} >${connector}/status; udevadm trigger --action=change ${card}; sleep 2; cat ${connector}/status`,
      );
    const unplugged = await plug('off');
    if (unplugged !== 'disconnected') {
      throw new Error(`the kernel calls the screen ${unplugged}`);
    }
    await sleep(3 * MINUTE_MS);
    await machine.takeScreenshot('unplugged');
    context.report(
      await machine.console.run(
        'systemctl show -p NRestarts placard.service placard-display.service; journalctl -b -t placard-display -o cat --no-pager | tail -5',
      ),
    );
    await plug('detect');
    await waitForPicture(machine, 'plugged');
    await assertPictureStays(machine, 'plugged', MINUTE_MS);
    await machine.powerCut();
  },
};
