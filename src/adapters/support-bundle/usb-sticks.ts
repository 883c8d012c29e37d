import { readFile } from 'node:fs/promises';

export interface UsbDeps {
  /** The system's table of mounts. */
  mountsFile: string;
  /** Where the system mounts removable disks. */
  roots: readonly string[];
}

const LINUX: UsbDeps = { mountsFile: '/proc/self/mounts', roots: ['/media', '/run/media', '/mnt'] };

/** Mount folders of writable USB sticks; Linux only. */
export async function findUsbSticks({ mountsFile, roots }: UsbDeps = LINUX): Promise<string[]> {
  const table = await readFile(mountsFile, 'utf8').catch(() => '');
  return table.split('\n').flatMap((line) => {
    const [device = '', mountPoint = '', , options = ''] = line.split(' ').map(unescapeOctal);
    const plugged = device.startsWith('/dev/') && roots.some((root) => mountPoint.startsWith(`${root}/`));
    return plugged && options.split(',').includes('rw') ? [mountPoint] : [];
  });
}

/** The table writes a space as `\040`. */
const unescapeOctal = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
