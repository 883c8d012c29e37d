import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { run } from '../../../scripts/dist/run.ts';
import { colourPlaylist, deploy, isColour, sendCommand } from '../fixtures.ts';
import type { Machine } from '../machine.ts';
import type { Scene } from '../scene.ts';
import { eventually, screenShows, type Trial, type TrialCloud } from '../trial.ts';
import { openVolatileDisk } from '../volatile-disk.ts';
import { BOOT_WITHIN_MS, deviceOnline, pairedMachine, playerSays } from './power-on.ts';

const ANY = isColour('red', 'green', 'yellow', 'purple');
const CUTS = 50;
const MINUTE_MS = 60_000;

/** When the power goes. Every second time in mid-boot; before each other one the picture has to be back. */
type Moment = 'boot' | 'play' | 'download' | 'restart';
const MOMENTS = ['play', 'download', 'download', 'restart', 'play'] as const;
const momentOf = (cut: number): Moment => (cut % 2 === 1 ? 'boot' : MOMENTS[(cut / 2) % MOMENTS.length]!);

/** At this pace the two pictures of a playlist are on their way for as long as a cut is waited for. */
const SLOW_LINE = 'PLACARD_MAX_DOWNLOAD_RATE=4Mbit/s';
/** How long after its beginning the power goes at the latest: a start, a download, two items with their reports. */
const WITHIN_MS: Record<Moment, number> = {
  boot: 110_000,
  download: 15_000,
  restart: 30_000,
  play: 20_000,
};

/** The ids of plays that began in this boot, by the log: each of them was on the screen and has to be told. */
async function playsBegun(machine: Machine): Promise<string[]> {
  const lines = await machine.console.run(
    `journalctl -b -u placard.service -o cat --no-pager | grep 'play.started' | grep -o '"play":"[^"]*"' | cut -d '"' -f 4`,
  );
  return lines.split('\n').filter(Boolean);
}

interface ToldPlay {
  id: string;
  startedMs: number;
  endedMs: number;
}

/** What the cloud was told of this device. */
async function playsTold(cloud: TrialCloud, device: string): Promise<ToldPlay[]> {
  const csv = await fetch(`${cloud.url}/v1/analytics/plays.csv?device_id=${device}`, {
    headers: { authorization: `Bearer ${cloud.reader.key}` },
  }).then((answer) => answer.text());
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

/** A screen shows one thing at a time: plays that lie over each other are one that was told twice. */
const OVERLAP_MS = 2_000;
function overlapping(plays: readonly ToldPlay[]): string[] {
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

/** What the box keeps of damage, in all its boots. */
async function damageFound(machine: Machine): Promise<string[]> {
  const [stores = '0', files = '0'] = (
    await machine.console.run(
      `find /var/lib/placard -maxdepth 1 -name '*.damaged-*' | wc -l
journalctl _TRANSPORT=kernel --no-pager 2>/dev/null | grep -c 'EXT4-fs error' || true`,
      MINUTE_MS,
    )
  ).split('\n');
  return [
    ...(Number(stores) > 0 ? [`${stores} databases of the player were set aside as damaged`] : []),
    ...(Number(files) > 0 ? [`the kernel tells ${files} errors of the file system`] : []),
  ];
}

interface Paired {
  machine: Machine;
  device: string;
}

/** Cuts the power again and again; `cutPower` is how. Answers with what is wrong in the end. */
async function cutAgainAndAgain(
  trial: Trial,
  { machine, device }: Paired,
  cutPower: () => Promise<void>,
): Promise<string[]> {
  const { cloud } = trial;
  const begun = new Set<string>();
  await machine.console.run(`echo '${SLOW_LINE}' >>/etc/placard/environment; sync`);
  for (let cut = 0; cut < CUTS; cut++) {
    const moment = momentOf(cut);
    if (moment !== 'boot') {
      await screenShows(machine, `before-cut-${cut}`, BOOT_WITHIN_MS, ANY);
      await playerSays(machine, 'it is online', ({ connection }) => connection === 'online');
      for (const id of await playsBegun(machine)) begun.add(id);
    }
    if (moment === 'download') {
      const colours = cut % 4 === 0 ? (['red', 'purple'] as const) : (['green', 'yellow'] as const);
      const playlist = await colourPlaylist(cloud, `${machine.folder}/${cut}`, colours, { grain: true });
      await deploy(cloud, playlist, device);
    }
    if (moment === 'restart') await sendCommand(cloud, device, 'APP_RESTART');
    const waitMs = trial.chance() * WITHIN_MS[moment];
    await sleep(waitMs);
    await cutPower();
    trial.note(`cut ${cut}: ${moment}, after ${(waitMs / 1000).toFixed(1)} s`);
    await machine.powerOn();
  }
  await screenShows(machine, 'last', BOOT_WITHIN_MS, ANY);
  await deviceOnline(cloud, device);
  await eventually(
    'the player to show what was deployed last',
    BOOT_WITHIN_MS,
    async () => {
      const { configuration } = await cloud.reader.get(configured, `/v1/devices/${device}`);
      return configuration.manifest_revision === configuration.applied_manifest_revision;
    },
    5_000,
  );
  const untold = async () => {
    const told = new Set((await playsTold(cloud, device)).map(({ id }) => id));
    return [...begun].filter((id) => !told.has(id));
  };
  await eventually(
    'all plays to be told',
    3 * MINUTE_MS,
    async () => (await untold()).length === 0,
    5_000,
  ).catch(() => null);
  const [told, missing] = [await playsTold(cloud, device), await untold()];
  const doubled = overlapping(told);
  const { plays_dropped: dropped } = await playerSays(machine, 'how it is', () => true);
  const problems = [
    ...(missing.length > 0 ? [`plays that were begun and not told: ${missing.join(', ')}`] : []),
    ...(doubled.length > 0 ? [`plays that lie over each other: ${doubled.join('; ')}`] : []),
    ...(dropped > 0 ? [`the player has given up ${dropped} plays`] : []),
    ...(await damageFound(machine)),
  ];
  await cutPower();
  trial.note(`${CUTS} cuts; ${begun.size} plays seen to begin, ${told.length} told`);
  return problems;
}

/** The check that each boot makes, made in full: throws at what it cannot mend by itself. */
function checkFileSystem(disk: string): string {
  return run('sh', ['-c', 'e2fsck -f -p "$1"; [ $? -le 1 ]', 'sh', disk]).trim();
}

function conclude(trial: Trial, problems: readonly string[], disk: string): void {
  trial.note(`file system check: ${checkFileSystem(disk)}`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

export const powerCuts: Scene = {
  name: 'power-cuts',
  title: 'The power goes at 50 random moments: boot, download, play, report',
  async run(trial) {
    const paired = await pairedMachine(trial, 'power-cuts');
    const problems = await cutAgainAndAgain(trial, paired, () => paired.machine.powerCut());
    const disk = join(trial.folder, 'checked.raw');
    const overlay = join(paired.machine.folder, 'disk.qcow2');
    run('qemu-img', ['convert', '-f', 'qcow2', '-O', 'raw', overlay, disk]);
    conclude(trial, problems, disk);
    rmSync(disk);
  },
};

export const powerCutsUnflushed: Scene = {
  name: 'power-cuts-unflushed',
  title: 'The same on a disk that loses, by chance, what was written and not flushed',
  async run(trial) {
    mkdirSync(trial.folder, { recursive: true });
    const file = join(trial.folder, 'volatile.raw');
    const sockets = mkdtempSync(join(tmpdir(), 'placard-disk-'));
    const disk = await openVolatileDisk(trial.image.disk, {
      file,
      socket: join(sockets, 'disk'),
      chance: () => trial.chance(),
    });
    trial.atEnd(async () => {
      await disk.close();
      rmSync(sockets, { recursive: true });
    });
    const total = { lost: 0, kept: 0 };
    const paired = await pairedMachine(trial, 'power-cuts-unflushed', { volatileDisk: disk });
    const problems = await cutAgainAndAgain(trial, paired, async () => {
      await paired.machine.powerCut();
      const { lost, kept } = disk.losePower();
      total.lost += lost;
      total.kept += kept;
    });
    trial.note(`not flushed when the power went: ${total.lost} blocks lost, ${total.kept} kept`);
    conclude(trial, problems, file);
  },
};
