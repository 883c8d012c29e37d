import { setTimeout as sleep } from 'node:timers/promises';
import { commandRow, isColour, sendCommand, type CommandRow } from '../fixtures.ts';
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
/** At a boot the helper ends what was begun before the player starts. */
const CUT_BOOT_WITHIN_MS = 2 * BOOT_WITHIN_MS;
/** Some cuts come after the trial has begun. */
const BEYOND = 1.25;

const PLAYER = '/opt/placard-chromium/bin/node /opt/placard-chromium/dist/shells/main.js';
const NEVER_STARTS = '#!/bin/sh\necho "this version is broken" >&2\nexit 1\n';
const SHOWS_NOTHING = '#!/bin/sh\nexec sleep infinity\n';
const DIES_LATER = `#!/bin/sh\nexport PLACARD_SHELL=chromium\ntimeout -s KILL 300 ${PLAYER} "$@"\nexit 1\n`;

async function installedVersion(machine: Machine): Promise<string | null> {
  return machine.console.tryRun("dpkg-query -W -f '${db:Status-Status} ${Version}' placard-chromium", 20_000);
}

/** What the helper has written, empty before its first update; null while the machine does not answer. */
const helperState = (machine: Machine): Promise<string | null> =>
  machine.console.tryRun('cat /var/lib/placard-update/state 2>/dev/null || true', 20_000);

const isFinished = ({ status }: CommandRow): boolean => ['succeeded', 'failed', 'expired'].includes(status);

/** Waits until the helper has done with an update, whatever came of it. */
const judged = (trial: Trial, machine: Machine, command: string, version: string): Promise<string> =>
  eventually(
    `the update helper to be done with ${version}`,
    JUDGED_WITHIN_MS,
    async () => {
      const state = await helperState(machine);
      const isAbout = state?.includes(`to=${version}`) ?? false;
      if (state !== null && isAbout && state.includes('phase=idle')) return state;
      const row = await commandRow(trial.cloud, command);
      // Nothing was handed to the helper.
      if (state !== null && !isAbout && isFinished(row)) throw new Error(`no update: ${JSON.stringify(row)}`);
      return null;
    },
    5_000,
  );

/** What the player tells of the command in the end. */
const told = (trial: Trial, command: string): Promise<CommandRow> =>
  eventually(
    'UPDATE_CHECK to be told as done',
    BOOT_WITHIN_MS,
    async () => {
      const row = await commandRow(trial.cloud, command);
      return isFinished(row) ? row : null;
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
  const settings = [`PLACARD_UPDATE_FEED=${releases.feedUrl}`, 'PLACARD_UPDATE_WINDOW=always'];
  const image = installedImage(trial.system, releases.first, server, {
    label: 'release',
    after: settings.map((line) => `echo '${line}' >>/etc/placard/environment`),
  });
  return { ...(await pairedMachine(trial, name, { image })), releases };
}

export const update: Scene = {
  name: 'update',
  title: 'A good update, and three bad ones that are taken back',
  async run(trial) {
    const { machine, device, releases } = await updateMachine(trial, 'update');
    releases.offer('0.2.0');
    const id = await sendCommand(trial.cloud, device, 'UPDATE_CHECK');
    const good = await judged(trial, machine, id, '0.2.0');
    if (!good.includes('outcome=confirmed')) throw new Error(`the good update: ${good}`);
    await screenShows(machine, 'after-update', BOOT_WITHIN_MS, PICTURE);
    const { status, result } = await told(trial, id);
    if (status !== 'succeeded') throw new Error(`the good update was told as ${JSON.stringify(result)}`);
    trial.note(`good update: ${await installedVersion(machine)}`);

    for (const [version, what, player] of [
      ['0.2.1', 'does not start', NEVER_STARTS],
      ['0.2.2', 'shows nothing', SHOWS_NOTHING],
      ['0.2.3', 'dies after five minutes', DIES_LATER],
    ] as const) {
      releases.offer(version, player);
      const command = await sendCommand(trial.cloud, device, 'UPDATE_CHECK');
      const state = await judged(trial, machine, command, version);
      trial.note(`${version} ${what}: ${state.replaceAll('\n', ' ')}`);
      if (!state.includes('outcome=rolled_back')) throw new Error(`${version} (${what}): ${state}`);
      await screenShows(machine, `after-${version}`, BOOT_WITHIN_MS, PICTURE);
      const row = await told(trial, command);
      if (row.status !== 'failed' || !JSON.stringify(row.result).includes('rolled_back'))
        throw new Error(`${version} (${what}) was told as ${JSON.stringify(row)}`);
      const installed = await installedVersion(machine);
      if (installed !== 'installed 0.2.0') throw new Error(`after ${version}: ${installed}`);
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
      const state = (await helperState(machine)) || 'phase=idle';
      const phase = /^phase=(.*)$/m.exec(state)?.[1];
      return version !== null && /^installed 0\.[12]\.0$/.test(version) && /^(idle|trial)$/.test(phase ?? '')
        ? `${version}, ${phase}`
        : null;
    },
    3_000,
  );

/** Asks for the update, and waits until the player has begun it. */
async function beginUpdate(trial: Trial, machine: Machine, device: string): Promise<void> {
  // A machine that was brought back holds lines that nobody else knows of, and finds that out within a minute by itself.
  await machine.console.run(`ss -K dst ${HOST_SEEN_FROM_MACHINE} >/dev/null 2>&1 || true`);
  const command = await sendCommand(trial.cloud, device, 'UPDATE_CHECK');
  await eventually(
    'the player to take UPDATE_CHECK on',
    BOOT_WITHIN_MS,
    async () => {
      const row = await commandRow(trial.cloud, command);
      if (isFinished(row)) throw new Error(`no update: ${JSON.stringify(row)}`);
      return row.status === 'acknowledged';
    },
    1_000,
  );
}

/** Milliseconds from the beginning of an update to its trial. */
async function untilTrial(trial: Trial, machine: Machine, device: string): Promise<number> {
  await beginUpdate(trial, machine, device);
  const begunMs = performance.now();
  await eventually(
    'the trial to begin',
    JUDGED_WITHIN_MS,
    async () => (await helperState(machine))?.includes('phase=trial'),
    1_000,
  );
  return performance.now() - begunMs;
}

export const updatePowerCuts: Scene = {
  name: 'update-power-cuts',
  title: 'The power goes at 20 random moments of an update',
  async run(trial) {
    const { machine, device, releases } = await updateMachine(trial, 'update-power-cuts');
    releases.offer('0.2.0');
    // Every cut meets the same machine, in mid-play and not yet updated.
    await machine.saveState('before');
    const takesMs = await untilTrial(trial, machine, device);
    trial.note(`${Math.round(takesMs / 1000)} s from the first step to the trial: cuts fall into it`);
    for (let cut = 0; cut < POWER_CUTS; cut++) {
      await machine.loadState('before');
      await beginUpdate(trial, machine, device);
      const waitMs = trial.chance() * takesMs * BEYOND;
      await sleep(waitMs);
      await machine.powerCut();
      await machine.powerOn();
      await screenShows(machine, `after-cut-${cut}`, CUT_BOOT_WITHIN_MS, PICTURE);
      const darkMs = machine.sincePowerOn();
      trial.note(
        `cut ${cut} after ${Math.round(waitMs / 1000)} s: picture ${Math.round(darkMs / 1000)} s after power-on; ${await settled(machine)}`,
      );
    }
    // The last one to its end: it goes on by itself, or begins anew.
    await sendCommand(trial.cloud, device, 'UPDATE_CHECK');
    const end = await eventually(
      'the end of the update',
      JUDGED_WITHIN_MS,
      async () => {
        const state = await helperState(machine);
        return state?.includes('to=0.2.0') && state.includes('phase=idle') ? state : null;
      },
      5_000,
    );
    if (!end.includes('outcome=confirmed')) throw new Error(`after the last cut: ${end}`);
    await machine.powerCut();
  },
};
