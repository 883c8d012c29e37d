/**
 * `npm run dist:check`: builds the packages as far as possible without downloads, and inspects them. Prints a line for
 * each check; exits with 1 when one has failed.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readPackageJson, REPOSITORY } from '../repository.ts';
import { checkArchive, checkFuses, checkImports, checkNative, checkTasks } from './app-checks.ts';
import { extractAsar } from './asar.ts';
import { buildChromiumDeb, CHROMIUM_PACKAGE, NODE_ARCH } from './chromium-deb.ts';
import type { DebArch } from './chromium-deb.ts';
import { checkContents, checkControl, checkScripts, checkUnits } from './deb-checks.ts';
import type { Deb } from './deb-checks.ts';
import { checkInstallCycle } from './install-cycle.ts';
import { packApps } from './pack.ts';
import type { PackedApp } from './pack.ts';
import { createReport } from './report.ts';
import { startRuntime } from './start-runtime.ts';
import { findMissingTools, run } from '../run.ts';

const { version } = readPackageJson(REPOSITORY);
const DEB_ARCHS: readonly DebArch[] = ['amd64', 'arm64'];
const output = mkdtempSync(join(tmpdir(), 'placard-dist-'));
const report = createReport((line) => console.log(line));

async function checkPackedApps(platform: 'linux' | 'win32', name: string): Promise<void> {
  let packedApps: PackedApp[] = [];
  await report.check(`${name}: electron-builder.yml is valid and packs the player`, () => {
    packedApps = packApps(platform, output);
  });
  for (const packed of packedApps) {
    await report.check(`${packed.target}: the archive contains only the player`, () => checkArchive(packed));
    await report.check(`${packed.target}: the one native module is ${packed.nativeModule}`, () =>
      checkNative(packed),
    );
    await report.check(`${packed.target}: every imported package is in the archive`, () =>
      checkImports(packed),
    );
    if (platform === 'win32') {
      await report.check(`${packed.target}: tasks, scripts and document name the installed program`, () =>
        checkTasks(packed, REPOSITORY),
      );
    }
    await report.check(`${packed.target}: the fuses are set`, () => checkFuses(packed));
    await report.check(`${packed.target}: the runtime starts, in Node instead of Electron`, () => {
      if (packed.nativeModule !== `${process.platform}-${process.arch}.node`) {
        return 'built for another platform';
      }
      const app = join(output, 'app', basename(packed.folder));
      cpSync(join(packed.folder, 'resources/app.asar.unpacked'), app, { recursive: true });
      extractAsar(join(packed.folder, 'resources/app.asar'), app);
      return startRuntime(app, process.execPath, output);
    });
  }
}

async function checkDeb(deb: Deb, extraFiles: Record<string, boolean>): Promise<void> {
  const name = `${deb.name} ${deb.arch}`;
  const work = join(output, `work-${deb.name}-${deb.arch}`);
  mkdirSync(work);
  await report.check(`${name}: dpkg-deb -I`, () => checkControl(deb, version));
  await report.check(`${name}: dpkg-deb -c`, () => checkContents(deb, extraFiles));
  await report.check(`${name}: scripts, sh -n`, () => checkScripts(deb, work));
  await report.check(`${name}: units, systemd-analyze verify`, () => checkUnits(deb, work));
  await report.check(`${name}: install, upgrade, remove, purge`, () => checkInstallCycle(deb, work));
}

async function checkChromiumDeb(arch: DebArch): Promise<void> {
  const name = `${CHROMIUM_PACKAGE} ${arch}`;
  let file = '';
  const built = await report.check(`${name}: builds`, () => {
    const missingTools = findMissingTools(['dpkg-deb']);
    if (missingTools.length > 0) {
      return `this machine has no ${missingTools.join(', ')}`;
    }
    if (process.arch !== NODE_ARCH[arch]) {
      return 'its Node would have to be downloaded';
    }
    file = buildChromiumDeb(arch, output, 'none');
    return undefined;
  });
  if (!built) {
    return;
  }
  await checkDeb(
    { file, name: CHROMIUM_PACKAGE, arch },
    {
      'usr/bin/placard-player': true,
      'opt/placard-chromium/bin/node': true,
      'etc/chromium/policies/managed/placard.json': false,
    },
  );
  await report.check(`${name}: its runtime starts, with its own Node`, () => {
    const tree = join(output, 'chromium-tree');
    run('dpkg-deb', ['-x', file, tree]);
    const app = join(tree, 'opt/placard-chromium');
    return startRuntime(app, join(app, 'bin/node'), output);
  });
  await report.check(`${name}: its smoke test, in the Chromium of this machine`, () => {
    if (findMissingTools(['chromium']).length > 0) {
      return 'this machine has no chromium';
    }
    const app = join(output, 'chromium-tree/opt/placard-chromium');
    const data = mkdtempSync(join(output, 'smoke-'));
    const flags = ['--smoke-test', '--shell', 'headless', '--data', data];
    run(join(app, 'bin/node'), [join(app, 'dist/shells/main.js'), ...flags]);
    return undefined;
  });
}

try {
  const missingTools = findMissingTools(['dpkg-deb']);
  if (missingTools.length > 0) {
    await report.check('linux: packages for Debian', () => `this machine has no ${missingTools.join(', ')}`);
  } else {
    await checkPackedApps('linux', 'linux');
    for (const arch of DEB_ARCHS) {
      await checkDeb(
        { file: join(output, `placard_${version}_${arch}.deb`), name: 'placard', arch },
        { 'opt/Placard/placard-player': true, 'opt/Placard/resources/app.asar': false },
      );
    }
  }
  await checkPackedApps('win32', 'win');
  for (const arch of DEB_ARCHS) {
    await checkChromiumDeb(arch);
  }
  await report.check('linux: AppImage', () => 'electron-builder would download its tools');
  await report.check('win: installer (NSIS)', () => 'electron-builder would download its tools');
} finally {
  rmSync(output, { recursive: true, force: true });
}
const { ok, failed, skipped } = report.count;
console.log(`${ok} ok, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 ? 1 : 0;
