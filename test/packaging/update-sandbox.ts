import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { serialize } from 'node:v8';
import { afterAll } from 'vitest';
import { parseHelperState } from '../../src/adapters/updater/helper-state.ts';
import { NEVER_UPDATED } from '../../src/core/update/helper-state.ts';
import type { HelperState } from '../../src/core/update/helper-state.ts';
import { formatReleaseManifest } from '../../src/core/update/release-manifest.ts';
import type { ReleaseManifest } from '../../src/core/update/release-manifest.ts';

const HELPER = resolve(import.meta.dirname, '../../build/linux/placard-update');
const TOOLS = ['dpkg', 'dpkg-deb', 'dpkg-query', 'openssl', 'flock', 'tar', 'sha512sum'];

const missingTools = TOOLS.filter((tool) => spawnSync('which', [tool]).status !== 0);

/** Why this machine cannot run the update helper; null when it can. */
export const updateSkipReason =
  missingTools.length > 0
    ? `this machine has no ${missingTools.join(', ')}`
    : process.getuid?.() !== 0
      ? 'dpkg wants root (or fakeroot)'
      : null;

export const ARCH = missingTools.length > 0 ? 'amd64' : run('dpkg', ['--print-architecture']).trim();

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Of the steps between which the power can be cut, every third is tried, and all of them by `npm run test:crash`. */
export const POWER_CUT_STRIDE = process.env['PLACARD_POWER_CUTS'] === undefined ? 3 : 1;

export interface DebOptions {
  name?: string;
  version: string;
  arch?: string;
  postinst?: string;
  preinst?: string;
  depends?: string;
  /** Additional lines of its control file. */
  control?: string;
  /** Additional files of the player, by name. */
  files?: Record<string, string | Buffer>;
  /** Changes the helper in the package. */
  helper?: (script: string) => string;
}

/** The correct manifest for these bytes. */
export function manifestOf(bytes: Buffer, version: string): ReleaseManifest {
  const sha512 = createHash('sha512').update(bytes).digest('hex');
  return { package: 'placard', version, arch: ARCH, size: bytes.length, sha512 };
}

const { publicKey, privateKey } = generateKeyPairSync('ed25519');

/** Files of the packages that were built, by the hash of their options: a package is the same file in each sandbox. */
const builtPackages = new Map<string, string>();
let packageFolder: string | null = null;

afterAll(() => {
  for (const original of originals.values()) {
    original.remove();
  }
  originals.clear();
  builtPackages.clear();
  if (packageFolder !== null) {
    rmSync(packageFolder, { recursive: true, force: true });
    packageFolder = null;
  }
});

export type UpdateSandbox = ReturnType<typeof createUpdateSandbox>;

/** A device at one moment: its folder, how often it has booted, and since when it is on. */
interface DeviceState {
  folder: string;
  boots: number;
  uptimeSeconds: number;
}

/**
 * A temporary root with a real dpkg database, a small player package and the real update helper: a new one, or a copy of
 * another as it is now. Simulates the events of a device: downloads, starts, crashes, power cuts and passing time.
 */
function createUpdateSandbox(original: DeviceState | null = null) {
  const folder = mkdtempSync(join(tmpdir(), 'placard-update-'));
  const root = join(folder, 'root');
  const inbox = join(root, 'var/lib/placard-update/inbox');
  const clock = join(folder, 'uptime');
  const bootId = join(folder, 'boot-id');
  const systemctlLog = join(folder, 'systemctl.log');
  const systemctl = join(folder, 'systemctl');
  let { boots, uptimeSeconds } = original ?? { boots: 0, uptimeSeconds: 0 };

  if (original) {
    run('cp', ['-a', `${original.folder}/.`, folder]);
  } else {
    mkdirSync(join(root, 'var/lib/dpkg/info'), { recursive: true });
    mkdirSync(join(root, 'var/lib/dpkg/updates'), { recursive: true });
    writeFileSync(join(root, 'var/lib/dpkg/status'), '');
    mkdirSync(inbox, { recursive: true });
    writeFileSync(systemctlLog, '');
    writeFileSync(systemctl, '#!/bin/sh\necho "$*" >>"${0%/*}/systemctl.log"\n', { mode: 0o755 });
  }

  /** The package of these options, built by the first sandbox that needs it. */
  function deb(options: DebOptions): string {
    const helper = options.helper?.(readFileSync(HELPER, 'utf8'));
    const contents = createHash('sha256')
      .update(serialize({ ...options, helper }))
      .digest('hex');
    const built = builtPackages.get(contents) ?? buildPackage(options);
    builtPackages.set(contents, built);
    return built;
  }

  /** Builds a package with the helper, the key and a "player" that contains only its version. */
  function buildPackage({
    name = 'placard',
    version,
    arch = ARCH,
    postinst,
    preinst,
    depends,
    control = '',
    files = {},
    helper = (script) => script,
  }: DebOptions): string {
    packageFolder ??= mkdtempSync(join(tmpdir(), 'placard-packages-'));
    const target = mkdtempSync(join(packageFolder, 'of-'));
    const tree = join(target, 'tree');
    for (const path of ['DEBIAN', 'opt/Placard', 'usr/lib/placard']) {
      mkdirSync(join(tree, path), { recursive: true });
    }
    writeFileSync(
      join(tree, 'DEBIAN/control'),
      `Package: ${name}\nVersion: ${version}\nArchitecture: ${arch}\nMaintainer: Placard <ops@example.com>\n${depends === undefined ? '' : `Depends: ${depends}\n`}${control}Description: player\n two lines\n`,
    );
    for (const [script, body] of Object.entries({ postinst, preinst })) {
      if (body !== undefined) {
        writeFileSync(join(tree, 'DEBIAN', script), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
      }
    }
    writeFileSync(join(tree, 'opt/Placard/placard'), `player ${version}\n`);
    writeFileSync(join(tree, `opt/Placard/only in ${version}`), '');
    for (const [file, content] of Object.entries(files)) {
      writeFileSync(join(tree, 'opt/Placard', file), content);
    }
    writeFileSync(join(tree, 'usr/lib/placard/placard-update'), helper(readFileSync(HELPER, 'utf8')), {
      mode: 0o755,
    });
    writeFileSync(
      join(tree, 'usr/lib/placard/update-key.pem'),
      publicKey.export({ type: 'spki', format: 'pem' }),
    );
    const file = join(target, `${name}_${version}_${arch}.deb`);
    run('dpkg-deb', ['--build', '--root-owner-group', '-Znone', tree, file]);
    return file;
  }

  const dpkg = (...args: string[]) => run('dpkg', [`--root=${root}`, '--force-script-chrootless', ...args]);

  function runHelper(verb: 'run' | 'starting', env: Record<string, string> = {}) {
    writeFileSync(clock, `${uptimeSeconds}.42 1.00\n`);
    const result = spawnSync('sh', [join(root, 'usr/lib/placard/placard-update'), verb], {
      encoding: 'utf8',
      env: {
        ...process.env,
        PLACARD_UPDATE_ROOT: root,
        PLACARD_UPDATE_SYSTEMCTL: systemctl,
        PLACARD_UPDATE_CLOCK: clock,
        PLACARD_UPDATE_BOOT_ID: bootId,
        ...env,
      },
    });
    return {
      killed: result.signal === 'SIGKILL',
      exitCode: result.status,
      output: result.stdout + result.stderr,
    };
  }

  const sandbox = {
    folder,
    releaseKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    /** Writes the private key as `release:keygen` does. */
    writePrivateKey(path: string) {
      writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    },
    root,
    inbox,
    deb,
    dpkg,
    /** Reboots: another boot id, uptime 0, and the helper runs before the player. */
    boot(env: Record<string, string> = {}) {
      boots += 1;
      uptimeSeconds = 5;
      writeFileSync(bootId, `boot-${boots}\n`);
      return runHelper('run', env);
    },
    run: (env: Record<string, string> = {}) => runHelper('run', env),
    advanceMinutes(minutes: number) {
      uptimeSeconds += minutes * 60;
    },
    /** systemd starts the player, as after a crash. */
    startPlayer: () => runHelper('starting'),
    markPlayerHealthy(version: string) {
      writeFileSync(join(inbox, 'healthy'), `${version}\n`);
    },
    manifestOf: (file: string, version: string, more: Partial<ReleaseManifest> = {}): ReleaseManifest => ({
      ...manifestOf(readFileSync(file), version),
      ...more,
    }),
    /** What the player does when a download is complete. */
    deliver(file: string, manifest: ReleaseManifest, key?: KeyObject) {
      sandbox.deliverText(file, formatReleaseManifest(manifest), key);
    },
    deliverText(file: string, text: string, key: KeyObject = privateKey) {
      copyFileSync(file, join(inbox, 'package'));
      writeFileSync(join(inbox, 'manifest'), text);
      writeFileSync(join(inbox, 'manifest.sig'), sign(null, Buffer.from(text), key));
      writeFileSync(join(inbox, 'request'), '');
    },
    state(): HelperState | null {
      const path = join(root, 'var/lib/placard-update/state');
      return existsSync(path) ? parseHelperState(readFileSync(path, 'utf8')) : NEVER_UPDATED;
    },
    blocked(): string[] {
      const path = join(root, 'var/lib/placard-update/blocked');
      return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
    },
    storedPackages: (): string =>
      run('ls', [join(root, 'var/lib/placard-update/packages')])
        .trim()
        .split('\n')
        .join(' '),
    /** The installed version, if dpkg reports it as installed and its files match. */
    installedVersion(): string {
      const [status, version] = run('dpkg-query', [
        `--admindir=${join(root, 'var/lib/dpkg')}`,
        '-W',
        '-f',
        '${db:Status-Status} ${Version}',
        'placard',
      ]).split(' ');
      const program = readFileSync(join(root, 'opt/Placard/placard'), 'utf8').trim();
      const own = existsSync(join(root, `opt/Placard/only in ${version}`));
      return status === 'installed' && version !== undefined && program === `player ${version}` && own
        ? version
        : `${status} ${version}, program: ${program}`;
    },
    systemctlCalls: () => readFileSync(systemctlLog, 'utf8').trim().split('\n').filter(Boolean),
    clearSystemctlCalls: () => writeFileSync(systemctlLog, ''),
    deviceState: (): DeviceState => ({ folder, boots, uptimeSeconds }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  return sandbox;
}

/** Another device in the same state. */
export const copyDevice = (device: UpdateSandbox): UpdateSandbox => createUpdateSandbox(device.deviceState());

/** The states that many tests begin with, each made once: tests get copies. */
const originals = new Map<string, UpdateSandbox>();

function copyInState(state: string, make: () => UpdateSandbox): UpdateSandbox {
  const original = originals.get(state) ?? make();
  originals.set(state, original);
  return copyDevice(original);
}

/** A sandbox in which a technician has installed 0.1.0. */
export const createSandboxWithPlayer = (): UpdateSandbox =>
  copyInState('installed', () => {
    const sandbox = createUpdateSandbox();
    sandbox.dpkg('-i', sandbox.deb({ version: '0.1.0' }));
    sandbox.boot();
    return sandbox;
  });

/** A sandbox in which the helper has just installed a good 0.2.0 over 0.1.0. */
export const createSandboxOnTrial = (): UpdateSandbox =>
  copyInState('trial', () => {
    const sandbox = createSandboxWithPlayer();
    deliverGoodVersion(sandbox);
    sandbox.run();
    return sandbox;
  });

/** Puts a good 0.2.0 into the inbox, as the player does after a download. */
export function deliverGoodVersion(sandbox: UpdateSandbox, options: Partial<DebOptions> = {}): void {
  const file = sandbox.deb({ version: '0.2.0', ...options });
  sandbox.deliver(file, sandbox.manifestOf(file, '0.2.0'));
}
