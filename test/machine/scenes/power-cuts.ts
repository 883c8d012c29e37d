import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { colourPlaylist, deploy, isColour, sendCommand } from '../fixtures.ts';
import type { Scene } from '../scene.ts';
import { screenShows } from '../trial.ts';
import { BOOT_WITHIN_MS, deviceOnline, pairedMachine } from './power-on.ts';

const ANY = isColour('red', 'green', 'yellow', 'purple');
const CUTS = 50;

export const powerCuts: Scene = {
  name: 'power-cuts',
  title: 'The power goes at 50 random moments: boot, download, play, report',
  async run(trial) {
    const { machine, device } = await pairedMachine(trial, 'power-cuts');
    for (let cut = 0; cut < CUTS; cut++) {
      // Every third time in mid-boot, otherwise while something is on its way.
      if (cut % 3 !== 0) {
        const colours = cut % 2 === 0 ? (['red', 'purple'] as const) : (['green', 'yellow'] as const);
        const playlist = await colourPlaylist(trial.cloud, `${machine.folder}/${cut}`, colours);
        await deploy(trial.cloud, playlist, device);
        if (cut % 5 === 0) await sendCommand(trial.cloud, device, 'APP_RESTART');
      }
      await sleep(Math.random() * 30_000);
      await machine.powerCut();
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
  },
};
