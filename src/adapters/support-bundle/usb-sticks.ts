import { readFile } from 'node:fs/promises';

export interface UsbDeps {
  /** The table of mounts of the system. */
  mountsFile: string;
  /** Where the system mounts what is plugged in. */
  roots: readonly string[];
}

const LINUX: UsbDeps = { mountsFile: '/proc/self/mounts', roots: ['/media', '/run/media', '/mnt'] };

/** Folders of the sticks that are plugged in and can be written. Only Linux is looked at. */
export async function usbSticks({ mountsFile, roots }: UsbDeps = LINUX): Promise<string[]> {
  const table = await readFile(mountsFile, 'utf8').catch(() => '');
  return table.split('\n').flatMap((line) => {
    const [device = '', place = '', , options = ''] = line.split(' ').map(unescapeOctal);
    const plugged = device.startsWith('/dev/') && roots.some((root) => place.startsWith(`${root}/`));
    return plugged && options.split(',').includes('rw') ? [place] : [];
  });
}

/** The table writes a blank as `\040`. */
const unescapeOctal = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
