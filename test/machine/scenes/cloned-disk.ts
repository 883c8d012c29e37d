import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isColour } from '../fixtures.ts';
import type { Scene } from '../scene.ts';
import { eventually, screenShows } from '../trial.ts';
import { BOOT_WITHIN_MS, deviceOnline, pair, pairedMachine, playerSays } from './power-on.ts';

const PICTURE = isColour('red', 'green', 'yellow');
const SHARED = 'identity.shared';
/** The fault stands until the socket has been its own for five minutes. */
const ALONE_WITHIN_MS = 15 * 60_000;

const faults = z.looseObject({ faults: z.array(z.looseObject({ code: z.string() })) });

/** The rest of the machine is not cloned: its own network card and its own number. */
const board = (index: number): Partial<{ mac: string; more: string[]; memoryMegabytes: number }> => ({
  mac: `52:54:00:00:00:0${index}`,
  more: ['-smbios', `type=1,serial=box-${index},uuid=00000000-0000-4000-8000-00000000000${index}`],
  // Two machines side by side.
  memoryMegabytes: 1536,
});

export const clonedDisk: Scene = {
  name: 'cloned-disk',
  title:
    'Two machines from copies of one paired disk: both and the cloud say so, and the documented way out works',
  async run(trial) {
    const { machine, device } = await pairedMachine(trial, 'original', board(1));
    await machine.console.run('sync');
    await machine.powerCut();
    const folder = join(trial.folder, 'clone');
    mkdirSync(folder, { recursive: true });
    copyFileSync(join(machine.folder, 'disk.qcow2'), join(folder, 'disk.qcow2'));
    const clone = await trial.machine('clone', board(2));
    await machine.powerOn();
    await screenShows(machine, 'original-again', BOOT_WITHIN_MS, PICTURE);
    await deviceOnline(trial.cloud, device);
    await clone.powerOn();

    for (const box of [machine, clone])
      await playerSays(box, 'somebody else has its identity', ({ faults }) =>
        faults.some(({ code }) => code === SHARED),
      );
    const told = () => trial.cloud.reader.get(faults, `/v1/devices/${device}`);
    await eventually(
      'the cloud to tell of two boxes',
      BOOT_WITHIN_MS,
      async () => (await told()).faults.some(({ code }) => code === SHARED),
      2_000,
    );
    for (const box of [machine, clone]) await screenShows(box, 'both-play', BOOT_WITHIN_MS, PICTURE);
    trial.note(`both play, and tell of ${SHARED}`);

    // As docs/operations.md says.
    await clone.console.run(
      'systemctl stop placard; find /var/lib/placard -mindepth 1 -delete; systemctl start placard',
      BOOT_WITHIN_MS,
    );
    const other = await pair(trial, clone, 'The other one');
    if (other === device) throw new Error('the erased clone got the device of the original');
    await deviceOnline(trial.cloud, device);
    await deviceOnline(trial.cloud, other);
    await eventually(
      'the original to be alone',
      ALONE_WITHIN_MS,
      async () => !(await told()).faults.some(({ code }) => code === SHARED),
      5_000,
    );
    await Promise.all([machine.powerCut(), clone.powerCut()]);
  },
};
