import { setTimeout as sleep } from 'node:timers/promises';
import { readCommand, isColour, sendCommand } from '../fixtures.ts';
import type { CommandRow } from '../fixtures.ts';
import type { VirtualMachine } from '../virtual-machine.ts';
import { buildReleases } from '../releases.ts';
import type { Release, Releases } from '../releases.ts';
import type { Scenario } from '../scenario.ts';
import { installedImage } from '../system-image.ts';
import { eventually, HOST_ADDRESS, waitForScreen } from '../scenario-context.ts';
import type { ScenarioContext } from '../scenario-context.ts';
import { BOOT_WITHIN_MS, startPairedMachine } from './power-on.ts';

const PICTURE = isColour('red', 'green', 'yellow');
/** Covers ten minutes of trial, a slow start and the rollback. */
const JUDGED_WITHIN_MS = 30 * 60_000;
const POWER_CUTS = 20;
/** At boot, the helper completes an interrupted installation before the player starts. */
const CUT_BOOT_WITHIN_MS = 2 * BOOT_WITHIN_MS;
/** So that some cuts come after the trial has begun. */
const CUT_WINDOW_FACTOR = 1.25;

const BROKEN_RELEASES = [
  {
    version: '0.2.1',
    what: 'does not start',
    script: () => 'echo "this version is broken" >&2\nexit 1\n',
  },
  { version: '0.2.2', what: 'shows nothing', script: () => 'exec sleep infinity\n' },
  {
    version: '0.2.3',
    what: 'dies after five minutes',
    script: (original: string) => `timeout -s KILL 300 ${original} "$@"\nexit 1\n`,
  },
] satisfies (Release & { what: string })[];

/** Status and version of the player's package; null while the machine does not respond. */
async function installedVersion(context: ScenarioContext, machine: VirtualMachine): Promise<string | null> {
  return machine.console.tryRun(
    `dpkg-query -W -f '\${db:Status-Status} \${Version}' ${context.package.name}`,
    20_000,
  );
}

/** The helper's state file, empty before the first update; null while the machine does not respond. */
const helperState = (machine: VirtualMachine): Promise<string | null> =>
  machine.console.tryRun('cat /var/lib/placard-update/state 2>/dev/null || true', 20_000);

const isFinished = ({ status }: CommandRow): boolean => ['succeeded', 'failed', 'expired'].includes(status);

/** Waits until the helper has finished an update, with any outcome. */
const waitForHelper = (
  context: ScenarioContext,
  machine: VirtualMachine,
  command: string,
  version: string,
): Promise<string> =>
  eventually(
    `the update helper to finish ${version}`,
    JUDGED_WITHIN_MS,
    async () => {
      const state = await helperState(machine);
      const isAbout = state?.includes(`to=${version}`) ?? false;
      if (state !== null && isAbout && state.includes('phase=idle')) {
        return state;
      }
      const row = await readCommand(context.cloud, command);
      // The player has not passed an update to the helper.
      if (state !== null && !isAbout && isFinished(row)) {
        throw new Error(`no update: ${JSON.stringify(row)}`);
      }
      return null;
    },
    5_000,
  );

/** Waits for the final status of the command. */
const waitForResult = (context: ScenarioContext, command: string): Promise<CommandRow> =>
  eventually(
    'UPDATE_CHECK to be reported as finished',
    BOOT_WITHIN_MS,
    async () => {
      const row = await readCommand(context.cloud, command);
      return isFinished(row) ? row : null;
    },
    3_000,
  );

async function updateMachine(
  context: ScenarioContext,
  name: string,
  versions: readonly Release[],
): Promise<{ machine: VirtualMachine; device: string; releases: Releases }> {
  const { arch } = context.system;
  const feed = { arch, port: context.cloud.port + 100, hostAddress: HOST_ADDRESS };
  const releases = buildReleases(context.package, feed, versions);
  context.onCleanup(() => releases.close());
  const server = `http://${HOST_ADDRESS}:${context.cloud.port}`;
  const settings = [`PLACARD_UPDATE_FEED=${releases.feedUrl}`, 'PLACARD_UPDATE_WINDOW=always'];
  const image = installedImage(context.system, releases.firstPackage, server, {
    label: 'release',
    after: settings.map((line) => `echo '${line}' >>/etc/placard/environment`),
  });
  return { ...(await startPairedMachine(context, name, { image })), releases };
}

export const update: Scenario = {
  name: 'update',
  title: 'A good update, and three bad ones that are rolled back',
  async run(context) {
    const { machine, device, releases } = await updateMachine(context, 'update', [
      { version: '0.2.0' },
      ...BROKEN_RELEASES,
    ]);
    releases.publish('0.2.0');
    const id = await sendCommand(context.cloud, device, 'UPDATE_CHECK');
    const good = await waitForHelper(context, machine, id, '0.2.0');
    if (!good.includes('outcome=confirmed')) {
      throw new Error(`the good update: ${good}`);
    }
    await waitForScreen(machine, 'after-update', BOOT_WITHIN_MS, PICTURE);
    const { status, result } = await waitForResult(context, id);
    if (status !== 'succeeded') {
      throw new Error(`the good update was reported as ${JSON.stringify(result)}`);
    }
    context.report(`good update: ${await installedVersion(context, machine)}`);

    for (const { version, what } of BROKEN_RELEASES) {
      releases.publish(version);
      const command = await sendCommand(context.cloud, device, 'UPDATE_CHECK');
      const state = await waitForHelper(context, machine, command, version);
      context.report(`${version} ${what}: ${state.replaceAll('\n', ' ')}`);
      if (!state.includes('outcome=rolled_back')) {
        throw new Error(`${version} (${what}): ${state}`);
      }
      await waitForScreen(machine, `after-${version}`, BOOT_WITHIN_MS, PICTURE);
      const row = await waitForResult(context, command);
      if (row.status !== 'failed' || !JSON.stringify(row.result).includes('rolled_back')) {
        throw new Error(`${version} (${what}) was reported as ${JSON.stringify(row)}`);
      }
      const installed = await installedVersion(context, machine);
      if (installed !== 'installed 0.2.0') {
        throw new Error(`after ${version}: ${installed}`);
      }
    }
    await machine.powerCut();
  },
};

/** Player and helper are consistent after a power cut: one complete version, and no unfinished step of an installation. */
const waitForConsistentVersion = (context: ScenarioContext, machine: VirtualMachine): Promise<string> =>
  eventually(
    'one complete version of the player',
    BOOT_WITHIN_MS,
    async () => {
      const version = await installedVersion(context, machine);
      const state = (await helperState(machine)) || 'phase=idle';
      const phase = /^phase=(.*)$/m.exec(state)?.[1];
      return version !== null && /^installed 0\.[12]\.0$/.test(version) && /^(idle|trial)$/.test(phase ?? '')
        ? `${version}, ${phase}`
        : null;
    },
    3_000,
  );

/** Sends UPDATE_CHECK, and waits until the player has started the update. */
async function startUpdate(context: ScenarioContext, machine: VirtualMachine, device: string): Promise<void> {
  // After restoring a machine, its connections are dead; it would notice that only within a minute.
  await machine.console.run(`ss -K dst ${HOST_ADDRESS} >/dev/null 2>&1 || true`);
  const command = await sendCommand(context.cloud, device, 'UPDATE_CHECK');
  await eventually(
    'the player to start UPDATE_CHECK',
    BOOT_WITHIN_MS,
    async () => {
      const row = await readCommand(context.cloud, command);
      if (isFinished(row)) {
        throw new Error(`no update: ${JSON.stringify(row)}`);
      }
      return row.status === 'acknowledged';
    },
    1_000,
  );
}

/** Milliseconds from the start of an update to its trial. */
async function measureUntilTrial(
  context: ScenarioContext,
  machine: VirtualMachine,
  device: string,
): Promise<number> {
  await startUpdate(context, machine, device);
  const begunMs = performance.now();
  await eventually(
    'the trial to begin',
    JUDGED_WITHIN_MS,
    async () => (await helperState(machine))?.includes('phase=trial'),
    1_000,
  );
  return performance.now() - begunMs;
}

export const updatePowerCuts: Scenario = {
  name: 'update-power-cuts',
  title: 'The power is cut at 20 random moments of an update',
  async run(context) {
    const { machine, device, releases } = await updateMachine(context, 'update-power-cuts', [
      { version: '0.2.0' },
    ]);
    releases.publish('0.2.0');
    // Every cut starts from the same state: playing, not yet updated.
    await machine.saveState('before');
    const takesMs = await measureUntilTrial(context, machine, device);
    context.report(
      `${Math.round(takesMs / 1000)} s from the first step to the trial; the cuts happen in that time`,
    );
    const cuts = context.powerCuts(POWER_CUTS);
    for (let cut = 0; cut < cuts; cut++) {
      await machine.loadState('before');
      await startUpdate(context, machine, device);
      const waitMs = context.random() * takesMs * CUT_WINDOW_FACTOR;
      await sleep(waitMs);
      await machine.powerCut();
      await machine.powerOn();
      await waitForScreen(machine, `after-cut-${cut}`, CUT_BOOT_WITHIN_MS, PICTURE);
      const darkMs = machine.msSincePowerOn();
      context.report(
        `cut ${cut} after ${Math.round(waitMs / 1000)} s: picture ${Math.round(darkMs / 1000)} s after power-on; ${await waitForConsistentVersion(context, machine)}`,
      );
    }
    // After the last cut: the update continues by itself, or is started again.
    await sendCommand(context.cloud, device, 'UPDATE_CHECK');
    const end = await eventually(
      'the end of the update',
      JUDGED_WITHIN_MS,
      async () => {
        const state = await helperState(machine);
        return state?.includes('to=0.2.0') && state.includes('phase=idle') ? state : null;
      },
      5_000,
    );
    if (!end.includes('outcome=confirmed')) {
      throw new Error(`after the last cut: ${end}`);
    }
    await machine.powerCut();
  },
};
