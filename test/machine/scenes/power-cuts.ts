import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { colourPlaylist, deploy, isColour, sendCommand } from '../fixtures.ts';
import type { Machine } from '../machine.ts';
import type { Scene } from '../scene.ts';
import { screenShows, type Trial } from '../trial.ts';
import { openVolatileDisk } from '../volatile-disk.ts';
import { BOOT_WITHIN_MS, deviceOnline, pairedMachine } from './power-on.ts';

const ANY = isColour('red', 'green', 'yellow', 'purple');
const CUTS = 50;

/** Cuts the power again and again; `cutPower` is how. */
async function cutAgainAndAgain(
  trial: Trial,
  { machine, device }: { machine: Machine; device: string },
  cutPower: () => Promise<void>,
): Promise<void> {
  for (let cut = 0; cut < CUTS; cut++) {
    // Every third time in mid-boot, otherwise while something is on its way.
    if (cut % 3 !== 0) {
      const colours = cut % 2 === 0 ? (['red', 'purple'] as const) : (['green', 'yellow'] as const);
      const playlist = await colourPlaylist(trial.cloud, `${machine.folder}/${cut}`, colours);
      await deploy(trial.cloud, playlist, device);
      if (cut % 5 === 0) await sendCommand(trial.cloud, device, 'APP_RESTART');
    }
    await sleep(trial.chance() * 30_000);
    await cutPower();
    await machine.powerOn();
    if (cut % 3 !== 0) await screenShows(machine, `after-cut-${cut}`, BOOT_WITHIN_MS, ANY);
  }
  await screenShows(machine, 'last', BOOT_WITHIN_MS, ANY);
  await deviceOnline(trial.cloud, device);
  await sleep(60_000);
  const csv = await fetch(`${trial.cloud.url}/v1/analytics/plays.csv`, {
    headers: { authorization: `Bearer ${trial.cloud.reader.key}` },
  }).then((answer) => answer.text());
  const ids = csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',', 1)[0]);
  if (new Set(ids).size !== ids.length) throw new Error('a play was counted twice');
  const faults = z.object({ configuration: z.unknown() }).loose();
  await trial.cloud.reader.get(faults, `/v1/devices/${device}`);
  const check = await machine.console.run(
    'dmesg | grep -iE "ext4.*error" | head -3; grep -c database.corrupt /var/lib/placard/logs/shell.log || true',
  );
  trial.note(
    `${CUTS} cuts, ${ids.length} plays, none twice; the file system and the store say: ${check.replaceAll('\n', ' ') || 'nothing'}`,
  );
  await machine.powerCut();
}

export const powerCuts: Scene = {
  name: 'power-cuts',
  title: 'The power goes at 50 random moments: boot, download, play, report',
  async run(trial) {
    const paired = await pairedMachine(trial, 'power-cuts');
    await cutAgainAndAgain(trial, paired, () => paired.machine.powerCut());
  },
};

export const powerCutsUnflushed: Scene = {
  name: 'power-cuts-unflushed',
  title: 'The same on a disk that loses, by chance, what was written and not flushed',
  async run(trial) {
    mkdirSync(trial.folder, { recursive: true });
    const disk = await openVolatileDisk(trial.image.disk, {
      file: join(trial.folder, 'volatile.raw'),
      socket: join(trial.folder, 'volatile-disk'),
      chance: () => trial.chance(),
    });
    trial.atEnd(() => disk.close());
    const total = { lost: 0, kept: 0 };
    const paired = await pairedMachine(trial, 'power-cuts-unflushed', { volatileDisk: disk });
    await cutAgainAndAgain(trial, paired, async () => {
      await paired.machine.powerCut();
      const { lost, kept } = disk.losePower();
      total.lost += lost;
      total.kept += kept;
    });
    trial.note(`not flushed when the power went: ${total.lost} blocks lost, ${total.kept} kept`);
  },
};
