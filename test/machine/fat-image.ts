import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../scripts/run.ts';
import type { VirtualMachine } from './virtual-machine.ts';
import { eventually } from './scenario-context.ts';

const SECTOR_BYTES = 512;
/** First sector of the partition. */
const PARTITION_START = 2048;
const FAT_TYPE = 0x0c;

/** Files of a disk by name: their text, or the path of a file to copy. */
export type FatFiles = Readonly<Record<string, { text: string } | { from: string }>>;

/** One partition over the rest of the disk, as on new sticks. */
function partitionTable(sectors: number): Buffer {
  const table = Buffer.alloc(SECTOR_BYTES);
  table[446 + 4] = FAT_TYPE;
  table.writeUInt32LE(PARTITION_START, 446 + 8);
  table.writeUInt32LE(sectors - PARTITION_START, 446 + 12);
  table.writeUInt16LE(0xaa55, 510);
  return table;
}

/** Makes an image of a disk with one FAT partition in `folder`, and returns its path. */
export function fatImage(
  folder: string,
  name: string,
  files: FatFiles,
  { megabytes = 64, label = 'STICK' }: { megabytes?: number; label?: string } = {},
): string {
  mkdirSync(folder, { recursive: true });
  const image = join(folder, `${name}.img`);
  rmSync(image, { force: true });
  const sectors = (megabytes * 1024 * 1024) / SECTOR_BYTES;
  const disk = openSync(image, 'w');
  ftruncateSync(disk, sectors * SECTOR_BYTES);
  writeSync(disk, partitionTable(sectors), 0, SECTOR_BYTES, 0);
  closeSync(disk);
  const kilobytes = ((sectors - PARTITION_START) * SECTOR_BYTES) / 1024;
  run('mkfs.vfat', ['-n', label, `--offset=${PARTITION_START}`, image, String(kilobytes)]);
  for (const [file, content] of Object.entries(files)) {
    const source = 'from' in content ? content.from : join(folder, `${name}-${file}`);
    if ('text' in content) {
      writeFileSync(source, content.text);
    }
    // By default mtools rejects a partition whose size is not a multiple of the sectors per track.
    run('mcopy', ['-i', `${image}@@${PARTITION_START * SECTOR_BYTES}`, source, `::${file}`], {
      env: { ...process.env, MTOOLS_SKIP_CHECK: '1' },
    });
  }
  return image;
}

/** Overwrites the tables and folders of the partition with noise, but keeps the header that identifies it as FAT. */
export function corruptFat(image: string): void {
  const disk = openSync(image, 'r+');
  const noise = Buffer.alloc(1024 * 1024, 0xd7);
  writeSync(disk, noise, 0, noise.length, (PARTITION_START + 8) * SECTOR_BYTES);
  closeSync(disk);
}

/** Plugs a USB stick with its own `id` into the running machine. */
export async function plugUsbStick(machine: VirtualMachine, id: string, image: string): Promise<void> {
  await machine.monitor.call('blockdev-add', {
    driver: 'raw',
    'node-name': id,
    file: { driver: 'file', filename: image },
  });
  await machine.monitor.call('device_add', {
    driver: 'usb-storage',
    id: `usb-${id}`,
    bus: 'usb.0',
    drive: id,
    removable: true,
  });
}

/** Unplugs the stick without unmounting it. */
export async function unplugUsbStick(machine: VirtualMachine, id: string): Promise<void> {
  const deletedBefore = machine.monitor.count('DEVICE_DELETED');
  await machine.monitor.call('device_del', { id: `usb-${id}` });
  await eventually(
    'the stick to be out',
    30_000,
    () => machine.monitor.count('DEVICE_DELETED') > deletedBefore,
  );
}
