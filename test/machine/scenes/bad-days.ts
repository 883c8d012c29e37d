import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { colourPlaylist, commandRow, deploy, isColour, sendCommand } from '../fixtures.ts';
import type { Machine } from '../machine.ts';
import type { Scene } from '../scene.ts';
import { alteredImage } from '../system-image.ts';
import { eventually, HOST_SEEN_FROM_MACHINE, screenShows, type Trial } from '../trial.ts';
import { BOOT_WITHIN_MS, deviceOffline, deviceOnline, pairedMachine, playerSays } from './power-on.ts';

const PICTURE = isColour('red', 'green', 'yellow');
const MINUTE_MS = 60_000;

const pictureIsBack = (machine: Machine, label: string) =>
  screenShows(machine, label, BOOT_WITHIN_MS, PICTURE);

/** Looks for a while; throws at a picture that is not the playlist. */
async function pictureStays(machine: Machine, label: string, forMs: number): Promise<void> {
  const until = performance.now() + forMs;
  while (performance.now() < until) {
    await sleep(1_000);
    if (PICTURE(await machine.look(label))) continue;
    // Half of one item and half of the next is a cut that was met, and over in a moment.
    await sleep(300);
    const screen = await machine.look(`${label}-again`);
    if (!PICTURE(screen))
      throw new Error(`the picture went away: ${screen.file} ${JSON.stringify(screen.mean)}`);
  }
}

async function powerOnAgain(
  machine: Machine,
  label: string,
  how: { clock?: string; unplugged?: boolean } = {},
) {
  await machine.powerCut();
  await machine.powerOn(how);
  return pictureIsBack(machine, `${label}-playing`);
}

/** Boots without a network; it comes after the picture, two minutes late. */
export const noNetwork: Scene = {
  name: 'no-network',
  title: 'The network cable is out at power-on and comes later; it goes in mid-download and for a day',
  async run(trial) {
    const { machine, device } = await pairedMachine(trial, 'no-network');
    await powerOnAgain(machine, 'unplugged', { unplugged: true });
    await sleep(2 * MINUTE_MS);
    await machine.plugNetwork(true);
    await deviceOnline(trial.cloud, device);
    trial.note('booted without a network, played, and was online after the cable came');

    // A new playlist while the line breaks again and again.
    const next = await colourPlaylist(trial.cloud, `${machine.folder}/next`, ['purple'], { grain: true });
    await deploy(trial.cloud, next, device);
    for (let cut = 0; cut < 5; cut++) {
      await sleep(300);
      await machine.plugNetwork(false);
      await sleep(3_000);
      await machine.plugNetwork(true);
    }
    await screenShows(machine, 'new-playlist', BOOT_WITHIN_MS, isColour('purple'));

    // A day without it: the clock of the machine is moved, so that a day passes in a minute.
    await machine.plugNetwork(false);
    await machine.console.run('date -s "+1 day"');
    await sleep(MINUTE_MS);
    await screenShows(machine, 'a-day-later', MINUTE_MS, isColour('purple'));
    await machine.plugNetwork(true);
    await deviceOnline(trial.cloud, device);
    await machine.powerCut();
  },
};

/** A router that starts more slowly than the box. */
export const lateDhcp: Scene = {
  name: 'late-dhcp',
  title: 'The cable is in at power-on, and nobody answers, DHCP neither, until two minutes after the picture',
  async run(trial) {
    const { machine, device } = await pairedMachine(trial, 'late-dhcp');
    await machine.powerCut();
    await machine.powerOn();
    await machine.muteNetwork(true);
    await pictureIsBack(machine, 'without-dhcp');
    await sleep(2 * MINUTE_MS);
    await deviceOffline(trial.cloud, device);
    trial.note(`addresses: ${(await machine.console.run('ip -4 -o addr show scope global')) || 'none'}`);
    await pictureStays(machine, 'still-without', 10_000);
    await machine.muteNetwork(false);
    const atMs = performance.now();
    await deviceOnline(trial.cloud, device);
    trial.note(`online ${Math.round((performance.now() - atMs) / 1000)} s after the network answered`);
    await machine.powerCut();
  },
};

/** A box without a clock battery starts in 2013. */
export const wrongClock: Scene = {
  name: 'wrong-clock',
  title: 'The clock says 2013 at power-on, with and without a network',
  async run(trial) {
    const { machine, device } = await pairedMachine(trial, 'wrong-clock');
    const noteClock = async () =>
      trial.note(await machine.console.run("dmesg | grep 'setting system clock' || true; date -Is"));
    await powerOnAgain(machine, 'clock-2013', { clock: '2013-01-01T00:00:00' });
    await deviceOnline(trial.cloud, device);
    await noteClock();
    await powerOnAgain(machine, 'clock-2013-unplugged', { clock: '2013-01-01T00:00:00', unplugged: true });
    await noteClock();
    await machine.plugNetwork(true);
    await deviceOnline(trial.cloud, device);
    await machine.powerCut();
  },
};

/** Takes every question and answers none, as a router that has lost its line: each takes all the time it is given. */
const SILENT_DNS = `systemd-run --unit=silent-dns /opt/placard-chromium/bin/node -e 'require("dgram").createSocket("udp4").bind(53, "127.0.0.1")'`;

export const dnsDead: Scene = {
  name: 'dns-dead',
  title: 'The name of the cloud cannot be resolved any more',
  async run(trial) {
    const name = 'cloud.test';
    const line = `${HOST_SEEN_FROM_MACHINE} ${name}`;
    const image = alteredImage(trial.image, trial.folder, {
      '/etc/hosts': (text) => `${text}${line}\n`,
      '/etc/placard/config.json': () => `{ "server": "http://${name}:${trial.cloud.port}" }\n`,
    });
    const { machine, device } = await pairedMachine(trial, 'dns-dead', { image });
    await machine.console.run(
      `${SILENT_DNS}; echo 'nameserver 127.0.0.1' >/etc/resolv.conf; sed -i '/${name}/d' /etc/hosts`,
    );
    await machine.console.run('systemctl restart placard', BOOT_WITHIN_MS);
    await pictureIsBack(machine, 'playing-without-dns');
    await playerSays(machine, 'the cloud cannot be reached', ({ faults }) =>
      faults.some(({ code }) => code === 'cloud.unreachable'),
    );
    await deviceOffline(trial.cloud, device);
    await machine.console.run(`echo '${line}' >>/etc/hosts`);
    await deviceOnline(trial.cloud, device);
    await machine.powerCut();
  },
};

const faultsOfDevice = z.looseObject({ faults: z.array(z.looseObject({ code: z.string() })) });

/** Takes all room that root can have: large pieces by a word to the file system, the rest block by block. */
async function fill(trial: Trial, machine: Machine, when: string): Promise<void> {
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
  trial.note(`${when}: ${free}`);
}

export const fullDisk: Scene = {
  name: 'full-disk',
  title: 'The disk is full to the last block, at run time and at power-on',
  async run(trial) {
    const { machine, device } = await pairedMachine(trial, 'full-disk');
    await fill(trial, machine, 'at run time');
    await pictureStays(machine, 'full', MINUTE_MS);
    await machine.powerCut();
    await machine.powerOn();
    // What a start gives back, of old logs for example, is taken as well before the player starts.
    await eventually('the console', BOOT_WITHIN_MS, () => machine.console.tryRun('true', 5_000));
    await fill(trial, machine, 'at power-on');
    await pictureIsBack(machine, 'full-boot');
    await pictureStays(machine, 'full-boot', MINUTE_MS);
    await deviceOnline(trial.cloud, device);
    const told = await trial.cloud.reader.get(faultsOfDevice, `/v1/devices/${device}`);
    trial.note(`faults told on a full disk: ${told.faults.map(({ code }) => code).join(', ') || 'none'}`);
    await machine.console.run('rm -r /filler; sync');
    const id = await sendCommand(trial.cloud, device, 'REFRESH');
    await eventually(
      'REFRESH to succeed once there is room',
      BOOT_WITHIN_MS,
      async () => (await commandRow(trial.cloud, id)).status === 'succeeded',
      2_000,
    );
    await machine.powerCut();
  },
};

export const smallMemory: Scene = {
  name: 'small-memory',
  title: 'One gigabyte of memory',
  async run(trial) {
    const { machine } = await pairedMachine(trial, 'small-memory', { memoryMegabytes: 1024 });
    await pictureStays(machine, 'small', 2 * MINUTE_MS);
    trial.note(
      await machine.console.run(
        'free -m | sed -n 2p; systemctl show -p NRestarts placard.service; journalctl -b -k --no-pager | grep -ci "out of memory" || true',
      ),
    );
    await machine.powerCut();
  },
};

/** What is killed or stopped, by the command that does it, and what undoes it afterwards where nothing else does. */
const DEATHS: readonly (readonly [what: string, command: string, undo?: string])[] = [
  ['the window', 'pkill -KILL -f -- --type=renderer'],
  ['the browser', 'pkill -KILL -o chromium'],
  ['the GPU process', 'pkill -KILL -f -- --type=gpu-process'],
  ['the runtime', 'pkill -KILL -f runtime/main.js'],
  ['the shell of the player', 'systemctl kill -s KILL --kill-who=main placard.service'],
  ['the whole unit', 'systemctl kill -s KILL placard.service'],
  ['the display', 'systemctl kill -s KILL placard-display.service'],
  ['the session', 'loginctl terminate-user placard'],
  [
    'the shell, stopped',
    'kill -STOP $(systemctl show -p MainPID --value placard.service)',
    // Or the runtime that is stopped next would meet a shell that cannot replace it.
    'kill -CONT $(systemctl show -p MainPID --value placard.service)',
  ],
  ['the runtime, stopped', 'pkill -STOP -f runtime/main.js'],
  ['the whole unit, stopped', 'systemctl kill -s STOP placard.service'],
  ['the display, stopped', 'systemctl kill -s STOP placard-display.service'],
];

export const deaths: Scene = {
  name: 'deaths',
  title: 'Window, browser, runtime, shell, display and session are killed, and stopped without dying',
  async run(trial: Trial) {
    const { machine } = await pairedMachine(trial, 'deaths');
    for (const [what, command, undo] of DEATHS) {
      await machine.console.run(command);
      const startedMs = performance.now();
      // What stops without dying may keep its picture: it has to move on to the next item.
      await sleep(12_000);
      await pictureIsBack(machine, 'back');
      const before = await machine.look('one');
      await eventually(`the next item after the end of ${what}`, BOOT_WITHIN_MS, async () => {
        const now = await machine.look('next');
        return (
          PICTURE(now) && now.mean.some((value, channel) => Math.abs(value - before.mean[channel]!) > 40)
        );
      });
      if (undo !== undefined) await machine.console.run(undo);
      trial.note(`${what}: plays on after ${Math.round((performance.now() - startedMs) / 1000)} s at most`);
    }
    await machine.powerCut();
  },
};

export const screenUnplugged: Scene = {
  name: 'screen-unplugged',
  title: 'The screen is unplugged and plugged in again',
  async run(trial) {
    const { machine } = await pairedMachine(trial, 'screen-unplugged');
    const connector = await machine.console.run('ls -d /sys/class/drm/card*-Virtual-1 | head -1');
    const card = connector.replace(/-Virtual-1$/, '');
    const plug = (status: 'off' | 'detect') =>
      machine.console.run(
        `echo ${status} >${connector}/status; udevadm trigger --action=change ${card}; sleep 2; cat ${connector}/status`,
      );
    const unplugged = await plug('off');
    if (unplugged !== 'disconnected') throw new Error(`the kernel calls the screen ${unplugged}`);
    await sleep(3 * MINUTE_MS);
    await machine.look('unplugged');
    trial.note(
      await machine.console.run(
        'systemctl show -p NRestarts placard.service placard-display.service; journalctl -b -t placard-display -o cat --no-pager | tail -5',
      ),
    );
    await plug('detect');
    await pictureIsBack(machine, 'plugged');
    await pictureStays(machine, 'plugged', MINUTE_MS);
    await machine.powerCut();
  },
};
