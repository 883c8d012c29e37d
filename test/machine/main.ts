/**
 * `npm run test:machine`: boots the packages on whole systems in QEMU, from power-on to picture, and drives them from
 * outside. Long: not part of `npm test`. Prints a line for each scene and ends with 1 when one has failed.
 */
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { buildChromiumDeb } from '../../scripts/dist/chromium-deb.ts';
import { run } from '../../scripts/dist/run.ts';
import { createSeededRandom } from '../support/player-box.ts';
import { cannotBoot } from './host.ts';
import { createMachine, type Machine } from './machine.ts';
import type { Scene } from './scene.ts';
import {
  deaths,
  dnsDead,
  fullDisk,
  lateDhcp,
  noNetwork,
  screenUnplugged,
  smallMemory,
  wrongClock,
} from './scenes/bad-days.ts';
import { clonedDisk } from './scenes/cloned-disk.ts';
import { commands } from './scenes/commands.ts';
import { lock } from './scenes/lock.ts';
import { monthOfLogs } from './scenes/month-of-logs.ts';
import { otherResolution } from './scenes/other-resolution.ts';
import { powerCuts, powerCutsUnflushed } from './scenes/power-cuts.ts';
import { powerOn } from './scenes/power-on.ts';
import { powerToPictureScene } from './scenes/power-to-picture.ts';
import { bootPartition, stickAtBoot, usbStick } from './scenes/provisioning.ts';
import { removal } from './scenes/removal.ts';
import { systemUpgrade } from './scenes/system-upgrade.ts';
import { update, updatePowerCuts } from './scenes/update.ts';
import { installedImage } from './system-image.ts';
import { SYSTEM_NAMES, SYSTEMS, type System, type SystemName } from './systems.ts';
import { HOST_SEEN_FROM_MACHINE, startTrialCloud, type Trial } from './trial.ts';

const SCENES: readonly Scene[] = [
  powerOn,
  commands,
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
  deaths,
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
const names = SCENES.map(({ name }) => name);

const command = new Command('npm run test:machine --')
  .description('Boot the packages on whole systems and drive them from outside.')
  .addOption(new Option('--arch <arch>', 'only systems of this architecture').choices(['amd64', 'arm64']))
  .addOption(new Option('--system <name>', 'only this system').choices(SYSTEM_NAMES))
  .addOption(new Option('--only <scene...>', 'only these scenes').choices(names))
  .addOption(new Option('--from <scene>', 'this scene and those after it').choices(names))
  .option('--deb <file>', 'a package that is built already, in place of one made from this tree')
  .option('--port <number>', 'of the cloud on this machine; another one for a second run beside it', '18787')
  .option('--seed <number>', 'decides the random moments; another one each run if not given')
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

/** What a run that is called off has to end: machines and the cloud. */
let endAll: () => Promise<void> = async () => {};
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => void endAll().finally(() => process.exit(1)));

/** Runs one scene with a cloud and machines of its own; answers whether it passed. */
async function play(scene: Scene, name: SystemName, deb: string): Promise<boolean> {
  const system = SYSTEMS[name];
  const port = Number(options.port);
  const image = installedImage(system, deb, `http://${HOST_SEEN_FROM_MACHINE}:${port}`);
  const folder = join(output, `${name}-${scene.name}`);
  // Disk and cloud of an earlier try would be no first boot. Its pictures are kept once.
  if (existsSync(folder)) {
    rmSync(`${folder}.before`, { recursive: true, force: true });
    renameSync(folder, `${folder}.before`);
    removeDisks(`${folder}.before`);
  }
  const cloud = await startTrialCloud(port, folder);
  const machines: Machine[] = [];
  const others: (() => void | Promise<void>)[] = [];
  endAll = async () => {
    for (const machine of machines) await machine.powerCut();
    for (const end of others.splice(0)) await end();
    await cloud.stop();
  };
  const random = createSeededRandom(seed);
  const trial: Trial = {
    system,
    image,
    deb,
    folder,
    cloud,
    chance: () => random.next(),
    async machine(label, more = {}) {
      const machine = await createMachine({ system, image, folder: join(folder, label), ...more });
      machines.push(machine);
      return machine;
    },
    atEnd: (end) => void others.push(end),
    note: (line) => report(`  ${name} ${scene.name}: ${line}`),
  };
  let passed = false;
  const startedMs = performance.now();
  const took = () => `${Math.round((performance.now() - startedMs) / 1000)} s`;
  try {
    await scene.run(trial);
    report(`passed  ${name}  ${scene.name}  ${took()}`);
    passed = true;
  } catch (error) {
    report(
      `FAILED  ${name}  ${scene.name}  ${took()}: ${error instanceof Error ? error.message : String(error)}`,
    );
    for (const machine of machines) {
      const log = await Promise.resolve()
        .then(() => machine.console.tryRun('journalctl -b -o short-monotonic --no-pager | tail -400', 60_000))
        .catch(() => null);
      if (log !== null) appendFileSync(join(machine.folder, 'journal.txt'), log);
      await Promise.resolve()
        .then(() => machine.look('failed'))
        .catch(() => null);
    }
  } finally {
    await endAll();
  }
  // Gigabytes each: kept where there is something to look for.
  if (passed) removeDisks(folder);
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
const wanted = SCENES.slice(first).filter(({ name }) => options.only?.includes(name) ?? true);

const debs = new Map<System['arch'], string>();
let passedCount = 0;
let failedCount = 0;
for (const name of systems) {
  const { arch } = SYSTEMS[name];
  const why = cannotBoot(arch);
  if (why !== null) {
    report(`SKIPPED ${name}: ${why}`);
    continue;
  }
  const deb = options.deb ?? debs.get(arch) ?? buildChromiumDeb(arch, join(output, 'debs'));
  debs.set(arch, deb);
  for (const scene of wanted) {
    if (await play(scene, name, deb)) passedCount += 1;
    else failedCount += 1;
  }
}
report(`${passedCount} passed, ${failedCount} failed; pictures in ${output}`);
process.exitCode = failedCount > 0 ? 1 : 0;
