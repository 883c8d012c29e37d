import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isColour } from '../fixtures.ts';
import type { Scenario } from '../scenario.ts';
import { eventually, waitForScreen } from '../scenario-context.ts';
import { BOOT_WITHIN_MS, waitForOnline, pairMachine, startPairedMachine, waitForStatus } from './power-on.ts';

const PICTURE = isColour('red', 'green', 'yellow');
const SHARED = 'identity.shared';
/** The fault clears after the device's socket has been undisturbed for five minutes. */
const ALONE_WITHIN_MS = 15 * 60_000;

const faults = z.looseObject({ faults: z.array(z.looseObject({ code: z.string() })) });

/** Not cloned: each machine has its own network card and serial number. */
const hardwareOptions = (
  index: number,
): Partial<{ mac: string; more: string[]; memoryMegabytes: number }> => ({
  mac: `52:54:00:00:00:0${index}`,
  more: ['-smbios', `type=1,serial=box-${index},uuid=00000000-0000-4000-8000-00000000000${index}`],
  // Two machines run at the same time.
  memoryMegabytes: 1536,
});

export const clonedDisk: Scenario = {
  name: 'cloned-disk',
  title:
    'Two machines from copies of one paired disk: both and the cloud report it, and the documented repair works',
  async run(context) {
    const { machine, device } = await startPairedMachine(context, 'original', hardwareOptions(1));
    await machine.console.run('sync');
    await machine.powerCut();
    const folder = join(context.folder, 'clone');
    mkdirSync(folder, { recursive: true });
    copyFileSync(join(machine.folder, 'disk.qcow2'), join(folder, 'disk.qcow2'));
    const clone = await context.createMachine('clone', hardwareOptions(2));
    await machine.powerOn();
    await waitForScreen(machine, 'original-again', BOOT_WITHIN_MS, PICTURE);
    await waitForOnline(context.cloud, device);
    await clone.powerOn();

    for (const eachMachine of [machine, clone]) {
      await waitForStatus(eachMachine, 'another player has the same identity', ({ faults }) =>
        faults.some(({ code }) => code === SHARED),
      );
    }
    const readFaults = () => context.cloud.reader.get(faults, `/v1/devices/${device}`);
    await eventually(
      'the cloud to report two players with one identity',
      BOOT_WITHIN_MS,
      async () => (await readFaults()).faults.some(({ code }) => code === SHARED),
      2_000,
    );
    for (const eachMachine of [machine, clone]) {
      await waitForScreen(eachMachine, 'both-play', BOOT_WITHIN_MS, PICTURE);
    }
    context.report(`both play, and report ${SHARED}`);

    // The commands of docs/operations.md.
    await clone.console.run(
      'systemctl stop placard; find /var/lib/placard -mindepth 1 -delete; systemctl start placard',
      BOOT_WITHIN_MS,
    );
    const other = await pairMachine(context, clone, 'The other one');
    if (other === device) {
      throw new Error('the erased clone got the device of the original');
    }
    await waitForOnline(context.cloud, device);
    await waitForOnline(context.cloud, other);
    await eventually(
      'the fault to clear on the original',
      ALONE_WITHIN_MS,
      async () => !(await readFaults()).faults.some(({ code }) => code === SHARED),
      5_000,
    );
    await Promise.all([machine.powerCut(), clone.powerCut()]);
  },
};
