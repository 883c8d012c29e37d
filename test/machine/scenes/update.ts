import { setTimeout as sleep } from 'node:timers/promises';
import { isColour, sendCommand, commandRow } from '../fixtures.ts';
import type { Machine } from '../machine.ts';
import { buildReleases, type Releases } from '../releases.ts';
import type { Scene } from '../scene.ts';
import { installedImage } from '../system-image.ts';
import { eventually, HOST_SEEN_FROM_MACHINE, screenShows, type Trial } from '../trial.ts';
import { BOOT_WITHIN_MS, pairedMachine } from './power-on.ts';

const PICTURE = isColour('red', 'green', 'yellow');
/** The ten minutes of a trial, a start that is slow, and the way back. */
const JUDGED_WITHIN_MS = 30 * 60_000;
const POWER_CUTS = 20;
/** From the command to the restart of the player, on an emulated machine. */
const UPDATE_TAKES_MS = 120_000;

const PLAYER = '/opt/placard-chromium/bin/node /opt/placard-chromium/dist/shells/main.js';
const NEVER_STARTS = '#!/bin/sh\necho "this version is broken" >&2\nexit 1\n';
const SHOWS_NOTHING = '#!/bin/sh\nexec sleep infinity\n';
const DIES_LATER = `#!/bin/sh\nexport PLACARD_SHELL=chromium\ntimeout -s KILL 300 ${PLAYER} "$@"\nexit 1\n`;

async function installedVersion(machine: Machine): Promise<string | null> {
  return machine.console.tryRun("dpkg-query -W -f '${db:Status-Status} ${Version}' placard-chromium", 20_000);
}

const helperState = (machine: Machine): Promise<string | null> =>
  machine.console.tryRun('cat /var/lib/placard-update/state', 20_000);

/** Waits until the helper has done with an update, whatever came of it. */
const judged = (machine: Machine, version: string): Promise<string> =>
  eventually(
    `the update helper to be done with ${version}`,
    JUDGED_WITHIN_MS,
    async () => {
      const state = await helperState(machine);
      return state?.includes(`to=${version}`) && state.includes('phase=idle') ? state : null;
    },
    3_000,
  );

async function updateMachine(
  trial: Trial,
  name: string,
): Promise<{ machine: Machine; device: string; releases: Releases }> {
  const releases = buildReleases(trial.system.arch, trial.cloud.port + 100, HOST_SEEN_FROM_MACHINE);
  trial.atEnd(() => releases.close());
  const server = `http://${HOST_SEEN_FROM_MACHINE}:${trial.cloud.port}`;
  const image = installedImage(trial.system, releases.first, server, { label: 'release' });
  const { machine, device } = await pairedMachine(trial, name, { image });
  await machine.console.run(
    `printf 'PLACARD_UPDATE_FEED=${releases.feedUrl}\\nPLACARD_UPDATE_WINDOW=always\\n' >/etc/placard/environment; systemctl restart placard`,
    BOOT_WITHIN_MS, // It ends with the first picture.
  );
  await screenShows(machine, 'with-feed', BOOT_WITHIN_MS, PICTURE);
  return { machine, device, releases };
}

export const update: Scene = {
  name: 'update',
  title: 'A good update, and three bad ones that are taken back',
  async run(trial) {
    const { machine, device, releases } = await updateMachine(trial, 'update');
    releases.offer('0.2.0');
    const id = await sendCommand(trial.cloud, device, 'UPDATE_CHECK');
    const good = await judged(machine, '0.2.0');
    if (!good.includes('outcome=confirmed')) throw new Error(`the good update: ${good}`);
    await screenShows(machine, 'after-update', BOOT_WITHIN_MS, PICTURE);
    await eventually(
      'UPDATE_CHECK to be told as done',
      BOOT_WITHIN_MS,
      async () => (await commandRow(trial.cloud, id)).status === 'succeeded',
      3_000,
    );
    trial.note(`good update: ${await installedVersion(machine)}`);

    for (const [version, what, player] of [
      ['0.2.1', 'does not start', NEVER_STARTS],
      ['0.2.2', 'shows nothing', SHOWS_NOTHING],
      ['0.2.3', 'dies after five minutes', DIES_LATER],
    ] as const) {
      releases.offer(version, player);
      await sendCommand(trial.cloud, device, 'UPDATE_CHECK');
      const state = await judged(machine, version);
      trial.note(`${version} ${what}: ${state.replaceAll('\n', ' ')}`);
      if (!state.includes('outcome=rolled_back')) throw new Error(`${version} (${what}): ${state}`);
      await screenShows(machine, `after-${version}`, BOOT_WITHIN_MS, PICTURE);
    }
    await machine.powerCut();
  },
};

/** The player and its helper after a power cut: one version, whole, and no step of an installation left over. */
const settled = (machine: Machine): Promise<string> =>
  eventually(
    'one whole version of the player',
    BOOT_WITHIN_MS,
    async () => {
      const version = await installedVersion(machine);
      const state = (await helperState(machine)) ?? 'phase=idle';
      const phase = /^phase=(.*)$/m.exec(state)?.[1];
      return version !== null && /^installed 0\.[12]\.0$/.test(version) && /^(idle|trial)$/.test(phase ?? '')
        ? `${version}, ${phase}`
        : null;
    },
    3_000,
  );

export const updatePowerCuts: Scene = {
  name: 'update-power-cuts',
  title: 'The power goes at 20 random moments of an update',
  async run(trial) {
    const { machine, device, releases } = await updateMachine(trial, 'update-power-cuts');
    releases.offer('0.2.0');
    // Every cut meets the same machine, in mid-play and not yet updated.
    await machine.saveState('before');
    for (let cut = 0; cut < POWER_CUTS; cut++) {
      if (cut > 0) await machine.loadState('before');
      await sendCommand(trial.cloud, device, 'UPDATE_CHECK');
      const waitMs = trial.chance() * UPDATE_TAKES_MS;
      await sleep(waitMs);
      await machine.powerCut();
      await machine.powerOn();
      await screenShows(machine, `after-cut-${cut}`, BOOT_WITHIN_MS, PICTURE);
      trial.note(`cut ${cut} after ${Math.round(waitMs / 1000)} s: ${await settled(machine)}`);
    }
    // The last one to its end, whatever that is.
    await sendCommand(trial.cloud, device, 'UPDATE_CHECK');
    const end = await judged(machine, '0.2.0');
    if (!end.includes('outcome=confirmed')) throw new Error(`after the last cut: ${end}`);
    await machine.powerCut();
  },
};
