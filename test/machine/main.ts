/**
 * `npm run test:machine`: boots the packages on whole systems in QEMU, from power-on to picture, and controls them from
 * outside. Long: not part of `npm test`. Prints a line for each scenario and exits with 1 when one has failed.
 */
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { buildChromiumDeb } from '../../scripts/dist/chromium-deb.ts';
import { run } from '../../scripts/run.ts';
import { createSeededRandom } from '../support/seeded-random.ts';
import { reasonNotBootable } from './host.ts';
import { createVirtualMachine } from './virtual-machine.ts';
import type { VirtualMachine } from './virtual-machine.ts';
import type { Scenario } from './scenario.ts';
import {
  processKills,
  dnsDead,
  fullDisk,
  lateDhcp,
  noNetwork,
  screenUnplugged,
  smallMemory,
  wrongClock,
} from './scenarios/fault-scenarios.ts';
import { clonedDisk } from './scenarios/cloned-disk.ts';
import { commands } from './scenarios/commands.ts';
import { lock } from './scenarios/lock.ts';
import { monthOfLogs } from './scenarios/month-of-logs.ts';
import { otherResolution } from './scenarios/other-resolution.ts';
import { powerCuts, powerCutsUnflushed } from './scenarios/power-cuts.ts';
import { powerOn } from './scenarios/power-on.ts';
import { powerToPictureScene } from './scenarios/power-to-picture.ts';
import { bootPartition, stickAtBoot, usbStick } from './scenarios/provisioning.ts';
import { removal } from './scenarios/removal.ts';
import { smokeTest } from './scenarios/smoke-test.ts';
import { systemUpgrade } from './scenarios/system-upgrade.ts';
import { update, updatePowerCuts } from './scenarios/update.ts';
import { readPlayerPackage } from './player-package.ts';
import { installedImage } from './system-image.ts';
import { SYSTEM_NAMES, SYSTEMS } from './systems.ts';
import type { System, SystemName } from './systems.ts';
import { HOST_ADDRESS, startHostCloud } from './scenario-context.ts';
import type { ScenarioContext } from './scenario-context.ts';

const SCENARIOS: readonly Scenario[] = [
  powerOn,
  commands,
  smokeTest,
  update,
  updatePowerCuts,
  powerCuts,
  powerCutsUnflushed,
  lock,
  noNetwork,
  lateDhcp,
  wrongClock,
  dnsDead,
  fullDisk,
  smallMemory,
  processKills,
  screenUnplugged,
  otherResolution,
  monthOfLogs,
  bootPartition,
  usbStick,
  stickAtBoot,
  clonedDisk,
  removal,
  systemUpgrade,
  powerToPictureScene,
];
const names = SCENARIOS.map(({ name }) => name);

/** Anything else would make no cut at all, and the scenario would pass. */
function readCuts(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) {
    throw new InvalidArgumentError('Give a number from 1 to 9999.');
  }
  return Number(text);
}

const command = new Command('npm run test:machine --')
  .description('Boot the packages on whole systems in QEMU and test them from outside.')
  .addOption(new Option('--arch <arch>', 'only systems of this architecture').choices(['amd64', 'arm64']))
  .addOption(new Option('--system <name>', 'only this system').choices(SYSTEM_NAMES))
  .addOption(new Option('--only <scenario...>', 'only these scenarios').choices(names))
  .addOption(new Option('--from <scenario>', 'this scenario and those after it').choices(names))
  .option('--deb <file>', 'a package that is built already, in place of one made from this tree')
  .option('--port <number>', 'of the cloud on this machine; another one for a second run beside it', '18787')
  .option('--seed <number>', 'decides the random moments; another one each run if not given')
  .option(
    '--cuts <number>',
    'power cuts of a scenario that makes many; long ones can be split into several runs',
    readCuts,
  )
  .option('--output <folder>', 'where pictures, disks and the report go; a new folder if not given')
  .parse();
const options = command.opts<{
  arch?: System['arch'];
  system?: SystemName;
  only?: string[];
  from?: string;
  deb?: string;
  port: string;
  seed?: string;
  cuts?: number;
  output?: string;
}>();

const output = options.output ?? mkdtempSync(join(tmpdir(), 'placard-machine-'));
mkdirSync(output, { recursive: true });
const report = (line: string): void => {
  console.log(line);
  appendFileSync(join(output, 'report.txt'), `${line}\n`);
};

const seed = Number(options.seed ?? Math.floor(Math.random() * 1_000_000));
report(`seed ${seed}: --seed ${seed} brings the same random moments`);

/** Ends the machines and the cloud when a run is interrupted. */
let endAll: () => Promise<void> = async () => {};
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => void endAll().finally(() => process.exit(1)));
}

/** Runs one scenario with its own cloud and machines; returns whether it passed. */
async function runScenario(scenario: Scenario, name: SystemName, deb: string): Promise<boolean> {
  const system = SYSTEMS[name];
  const port = Number(options.port);
  const image = installedImage(system, deb, `http://${HOST_ADDRESS}:${port}`);
  const folder = join(output, `${name}-${scenario.name}`);
  // Starts without the disk and cloud of an earlier run; its screenshots are kept once.
  if (existsSync(folder)) {
    rmSync(`${folder}.before`, { recursive: true, force: true });
    renameSync(folder, `${folder}.before`);
    removeDisks(`${folder}.before`);
  }
  const cloud = await startHostCloud(port, folder);
  const machines: VirtualMachine[] = [];
  const cleanups: (() => void | Promise<void>)[] = [];
  endAll = async () => {
    for (const machine of machines) {
      await machine.powerCut();
    }
    for (const end of cleanups.splice(0)) {
      await end();
    }
    await cloud.stop();
  };
  const random = createSeededRandom(seed);
  const context: ScenarioContext = {
    system,
    image,
    package: readPlayerPackage(deb),
    folder,
    cloud,
    random: () => random.next(),
    powerCuts: (documented) => options.cuts ?? documented,
    async createMachine(label, more = {}) {
      const machine = await createVirtualMachine({ system, image, folder: join(folder, label), ...more });
      machines.push(machine);
      return machine;
    },
    onCleanup: (end) => void cleanups.push(end),
    report: (line) => report(`  ${name} ${scenario.name}: ${line}`),
  };
  let passed = false;
  const startedMs = performance.now();
  const took = () => `${Math.round((performance.now() - startedMs) / 1000)} s`;
  try {
    await scenario.run(context);
    report(`passed  ${name}  ${scenario.name}  ${took()}`);
    passed = true;
  } catch (error) {
    report(
      `FAILED  ${name}  ${scenario.name}  ${took()}: ${error instanceof Error ? error.message : String(error)}`,
    );
    for (const machine of machines) {
      const log = await Promise.resolve()
        .then(() => machine.console.tryRun('journalctl -b -o short-monotonic --no-pager | tail -400', 60_000))
        .catch(() => null);
      if (log !== null) {
        appendFileSync(join(machine.folder, 'journal.txt'), log);
      }
      await Promise.resolve()
        .then(() => machine.takeScreenshot('failed'))
        .catch(() => null);
    }
  } finally {
    await endAll();
  }
  // Disks are gigabytes each: kept only after a failure.
  if (passed) {
    removeDisks(folder);
  }
  return passed;
}

const DISKS = ['*.qcow2', '*.raw', '*.img', '*.deb'];

function removeDisks(folder: string): void {
  const named = DISKS.flatMap((pattern, index) => [...(index === 0 ? [] : ['-o']), '-name', pattern]);
  run('find', [folder, '-type', 'f', '(', ...named, ')', '-delete']);
}

const systems = SYSTEM_NAMES.filter((name) => options.system === undefined || name === options.system).filter(
  (name) => options.arch === undefined || SYSTEMS[name].arch === options.arch,
);
const first = options.from === undefined ? 0 : names.indexOf(options.from);
const wanted = SCENARIOS.slice(first).filter(({ name }) => options.only?.includes(name) ?? true);

const debs = new Map<System['arch'], string>();
let passedCount = 0;
let failedCount = 0;
for (const name of systems) {
  const { arch } = SYSTEMS[name];
  const why = reasonNotBootable(arch);
  if (why !== null) {
    report(`SKIPPED ${name}: ${why}`);
    continue;
  }
  const deb = options.deb ?? debs.get(arch) ?? buildChromiumDeb(arch, join(output, 'debs'));
  debs.set(arch, deb);
  for (const scenario of wanted) {
    const { onlyWith } = scenario;
    if (onlyWith && onlyWith.package !== readPlayerPackage(deb).name) {
      report(`SKIPPED ${name} ${scenario.name}: ${onlyWith.reason}`);
      continue;
    }
    if (await runScenario(scenario, name, deb)) {
      passedCount += 1;
    } else {
      failedCount += 1;
    }
  }
}
report(`${passedCount} passed, ${failedCount} failed; pictures in ${output}`);
process.exitCode = failedCount > 0 ? 1 : 0;
