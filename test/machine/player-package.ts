import { z } from 'zod';
import { CHROMIUM_PACKAGE } from '../../scripts/dist/chromium-deb.ts';
import { run } from '../../scripts/run.ts';

/** The package under test: everything that scenarios know of it and that differs between the two packages. */
export interface PlayerPackage {
  readonly file: string;
  readonly name: 'placard' | 'placard-chromium';
  /** The name under which the documents install it. */
  readonly fileName: string;
  /** The file that `/usr/bin/placard-player` starts, or is. */
  readonly program: string;
  /** Pattern for `pgrep -f`: the process of the runtime. */
  readonly runtimeProcess: string;
  /** Pattern for `pgrep -f`: all processes of its browser. */
  readonly browserProcesses: string;
}

const DIFFERENCES = {
  placard: {
    program: '/opt/Placard/placard-player',
    // Electron's name for a process of Node.
    runtimeProcess: 'utility-sub-type=node',
    browserProcesses: '^/opt/Placard/placard-player',
  },
  [CHROMIUM_PACKAGE]: {
    program: '/usr/bin/placard-player',
    runtimeProcess: 'runtime/main.js',
    browserProcesses: '^/usr/lib/chromium/chromium',
  },
} as const;

const control = z.object({
  name: z.literal(['placard', CHROMIUM_PACKAGE]),
  version: z.string(),
  arch: z.enum(['amd64', 'arm64']),
});

/** Reads name, version and architecture of a Debian package. Throws for any but the player's. */
export function readPlayerPackage(file: string): PlayerPackage {
  const [name, version, arch] = ['Package', 'Version', 'Architecture'].map((field) =>
    run('dpkg-deb', ['-f', file, field]).trim(),
  );
  const parsed = control.safeParse({ name, version, arch });
  if (!parsed.success) {
    throw new Error(`${file} is ${name} ${version} for ${arch}, not a package of the player`);
  }
  return playerPackage(file, parsed.data);
}

/** What is known of a package with this name, version and architecture. */
export const playerPackage = (
  file: string,
  { name, version, arch }: z.output<typeof control>,
): PlayerPackage => ({
  file,
  name,
  fileName: `${name}_${version}_${arch}.deb`,
  ...DIFFERENCES[name],
});

/** The commands of a document for this package; the documents name the package with Chromium. */
export const commandsFor = (
  { name, fileName }: Pick<PlayerPackage, 'name' | 'fileName'>,
  commands: readonly string[],
): string[] =>
  commands.map((command) =>
    command
      .replaceAll(new RegExp(`${CHROMIUM_PACKAGE}_[\\d.]+_(amd64|arm64)\\.deb`, 'g'), fileName)
      .replaceAll(new RegExp(`\\b${CHROMIUM_PACKAGE}(?![_-])`, 'g'), name),
  );
