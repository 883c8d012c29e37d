import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { run } from '../../../scripts/run.ts';
import { uploadColourPlaylist, deployPlaylist, isColour, sendCommand } from '../fixtures.ts';
import type { VirtualMachine } from '../virtual-machine.ts';
import type { Scenario } from '../scenario.ts';
import { eventually, waitForScreen } from '../scenario-context.ts';
import type { ScenarioContext, HostCloud } from '../scenario-context.ts';
import { openVolatileDisk } from '../volatile-disk.ts';
import { BOOT_WITHIN_MS, waitForOnline, startPairedMachine, waitForStatus } from './power-on.ts';

const ANY = isColour('red', 'green', 'yellow', 'purple');
const CUTS = 50;
const MINUTE_MS = 60_000;

/** When the power is cut: every second time during boot; before each other cut the picture has to be back. */
type Moment = 'boot' | 'play' | 'download' | 'restart';
const MOMENTS = ['play', 'download', 'download', 'restart', 'play'] as const;
const momentOf = (cut: number): Moment => (cut % 2 === 1 ? 'boot' : MOMENTS[(cut / 2) % MOMENTS.length]!);

/** At this rate, the two pictures of a playlist take longer to download than the wait for a cut. */
const SLOW_LINE = 'PLACARD_MAX_DOWNLOAD_RATE=4Mbit/s';
/** Latest time of the cut after its moment begins: covers a start, a download, two items with their reports. */
const WITHIN_MS: Record<Moment, number> = {
  boot: 110_000,
  download: 15_000,
  restart: 30_000,
  play: 20_000,
};

/**
 * Ids of plays that began, from the log of all boots: each was on the screen and must be reported, also one that began
 * shortly before a power cut.
 */
async function readStartedPlays(machine: VirtualMachine): Promise<string[]> {
  const lines = await machine.console.run(
    `journalctl -u placard.service -o cat --no-pager | grep 'play.started' | grep -o '"play":"[^"]*"' | cut -d '"' -f 4`,
  );
  return lines.split('\n').filter(Boolean);
}

interface ReportedPlay {
  id: string;
  startedMs: number;
  endedMs: number;
}

/** The plays of this device that the cloud has received. */
async function readReportedPlays(cloud: HostCloud, device: string): Promise<ReportedPlay[]> {
  const csv = await fetch(`${cloud.url}/v1/analytics/plays.csv?device_id=${device}`, {
    headers: { authorization: `Bearer ${cloud.reader.key}` },
  }).then((response) => response.text());
  const [names = [], ...rows] = csv
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  const column = (name: string) => names.indexOf(name);
  return rows.map((row) => ({
    id: row[column('id')]!,
    startedMs: Date.parse(row[column('started_at')]!),
    endedMs: Date.parse(row[column('ended_at')]!),
  }));
}

/** A screen shows one item at a time: plays that overlap longer were reported twice. */
const OVERLAP_MS = 2_000;
function overlapping(plays: readonly ReportedPlay[]): string[] {
  const sorted = plays.toSorted((a, b) => a.startedMs - b.startedMs);
  return sorted.flatMap((play, index) => {
    const before = sorted[index - 1];
    return before && play.startedMs < before.endedMs - OVERLAP_MS ? [`${before.id} and ${play.id}`] : [];
  });
}

const configured = z.looseObject({
  configuration: z.looseObject({
    manifest_revision: z.string().nullable(),
    applied_manifest_revision: z.string().nullable(),
  }),
});

/** Traces of damage on the device, from all its boots. */
async function findDamage(machine: VirtualMachine): Promise<string[]> {
  const [stores = '0', files = '0'] = (
    await machine.console.run(
      `find /var/lib/placard -maxdepth 1 -name '*.damaged-*' | wc -l
journalctl _TRANSPORT=kernel --no-pager 2>/dev/null | grep -c 'EXT4-fs error' || true`,
      MINUTE_MS,
    )
  ).split('\n');
  return [
    ...(Number(stores) > 0 ? [`${stores} databases of the player were set aside as damaged`] : []),
    ...(Number(files) > 0 ? [`the kernel logged ${files} file system errors`] : []),
  ];
}

interface Paired {
  machine: VirtualMachine;
  device: string;
}

/** Cuts the power repeatedly, by `cutPower`. Returns the problems at the end. */
async function cutPowerRepeatedly(
  context: ScenarioContext,
  { machine, device }: Paired,
  cutPower: () => Promise<void>,
): Promise<string[]> {
  const { cloud } = context;
  const startedPlays = new Set<string>();
  await machine.console.run(`echo '${SLOW_LINE}' >>/etc/placard/environment; sync`);
  const cuts = context.powerCuts(CUTS);
  for (let cut = 0; cut < cuts; cut++) {
    const moment = momentOf(cut);
    if (moment !== 'boot') {
      await waitForScreen(machine, `before-cut-${cut}`, BOOT_WITHIN_MS, ANY);
      await waitForStatus(machine, 'online', ({ connection }) => connection === 'online');
      for (const id of await readStartedPlays(machine)) {
        startedPlays.add(id);
      }
    }
    if (moment === 'download') {
      const colours = cut % 4 === 0 ? (['red', 'purple'] as const) : (['green', 'yellow'] as const);
      const playlist = await uploadColourPlaylist(cloud, `${machine.folder}/${cut}`, colours, {
        grain: true,
      });
      await deployPlaylist(cloud, playlist, device);
    }
    if (moment === 'restart') {
      await sendCommand(cloud, device, 'APP_RESTART');
    }
    const waitMs = context.random() * WITHIN_MS[moment];
    await sleep(waitMs);
    await cutPower();
    context.report(`cut ${cut}: ${moment}, after ${(waitMs / 1000).toFixed(1)} s`);
    await machine.powerOn();
  }
  await waitForScreen(machine, 'last', BOOT_WITHIN_MS, ANY);
  await waitForOnline(cloud, device);
  await eventually(
    'the player to apply the last deployment',
    BOOT_WITHIN_MS,
    async () => {
      const { configuration } = await cloud.reader.get(configured, `/v1/devices/${device}`);
      return configuration.manifest_revision === configuration.applied_manifest_revision;
    },
    5_000,
  );
  const findUnreported = async () => {
    const reported = new Set((await readReportedPlays(cloud, device)).map(({ id }) => id));
    return [...startedPlays].filter((id) => !reported.has(id));
  };
  await eventually(
    'all plays to be reported',
    3 * MINUTE_MS,
    async () => (await findUnreported()).length === 0,
    5_000,
  ).catch(() => null);
  const [reported, missing] = [await readReportedPlays(cloud, device), await findUnreported()];
  const overlaps = overlapping(reported);
  const { plays_dropped: dropped } = await waitForStatus(machine, 'any status', () => true);
  const problems = [
    ...(missing.length > 0 ? [`plays that began and were not reported: ${missing.join(', ')}`] : []),
    ...(overlaps.length > 0 ? [`plays that overlap: ${overlaps.join('; ')}`] : []),
    ...(dropped > 0 ? [`the player has dropped ${dropped} plays`] : []),
    ...(await findDamage(machine)),
  ];
  await cutPower();
  context.report(`${cuts} cuts; ${startedPlays.size} plays seen to begin, ${reported.length} reported`);
  return problems;
}

/** The file system check of a boot, run in full: throws on errors that it cannot repair automatically. */
function checkFileSystem(disk: string): string {
  return run('sh', ['-c', 'e2fsck -f -p "$1"; [ $? -le 1 ]', 'sh', disk]).trim();
}

function failOnProblems(context: ScenarioContext, problems: readonly string[], disk: string): void {
  context.report(`file system check: ${checkFileSystem(disk)}`);
  if (problems.length > 0) {
    throw new Error(problems.join('\n'));
  }
}

export const powerCuts: Scenario = {
  name: 'power-cuts',
  title: 'The power is cut at 50 random moments: boot, download, play, report',
  async run(context) {
    const paired = await startPairedMachine(context, 'power-cuts');
    const problems = await cutPowerRepeatedly(context, paired, () => paired.machine.powerCut());
    const disk = join(context.folder, 'checked.raw');
    const overlay = join(paired.machine.folder, 'disk.qcow2');
    run('qemu-img', ['convert', '-f', 'qcow2', '-O', 'raw', overlay, disk]);
    failOnProblems(context, problems, disk);
    rmSync(disk);
  },
};

export const powerCutsUnflushed: Scenario = {
  name: 'power-cuts-unflushed',
  title: 'The same on a disk that randomly loses unflushed writes',
  async run(context) {
    mkdirSync(context.folder, { recursive: true });
    const file = join(context.folder, 'volatile.raw');
    const sockets = mkdtempSync(join(tmpdir(), 'placard-disk-'));
    const disk = await openVolatileDisk(context.image.disk, {
      file,
      socket: join(sockets, 'disk'),
      random: () => context.random(),
    });
    context.onCleanup(async () => {
      await disk.close();
      rmSync(sockets, { recursive: true });
    });
    const total = { lost: 0, kept: 0 };
    const paired = await startPairedMachine(context, 'power-cuts-unflushed', { volatileDisk: disk });
    const problems = await cutPowerRepeatedly(context, paired, async () => {
      await paired.machine.powerCut();
      const { lost, kept } = disk.losePower();
      total.lost += lost;
      total.kept += kept;
    });
    context.report(`unflushed at the power cuts: ${total.lost} blocks lost, ${total.kept} kept`);
    failOnProblems(context, problems, file);
  },
};
