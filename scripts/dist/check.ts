/**
 * `npm run dist:check`: builds the packages as far as any machine can, downloads nothing, and looks into them. Prints a
 * line for each check; ends with 1 when one has failed.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { checkArchive, checkFuses, checkImports, checkNative, checkTasks } from './app-checks.ts';
import { extractAsar } from './asar.ts';
import { buildChromiumDeb, CHROMIUM_PACKAGE, NODE_ARCH, type DebArch } from './chromium-deb.ts';
import { checkContents, checkControl, checkScripts, checkUnits, type Deb } from './deb-checks.ts';
import { checkInstallCycle } from './install-cycle.ts';
import { pack, REPOSITORY, type Packed } from './pack.ts';
import { createReport } from './report.ts';
import { startRuntime } from './start-runtime.ts';
import { missing, run } from './run.ts';

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')));
const DEB_ARCHS: readonly DebArch[] = ['amd64', 'arm64'];
const output = mkdtempSync(join(tmpdir(), 'placard-dist-'));
const report = createReport((line) => console.log(line));

async function checkPacked(platform: 'linux' | 'win32', name: string): Promise<void> {
  let all: Packed[] = [];
  await report.check(`${name}: electron-builder.yml is valid, and packs`, () => {
    all = pack(platform, output);
  });
  for (const packed of all) {
    await report.check(`${packed.target}: the archive holds the player and nothing else`, () =>
      checkArchive(packed),
    );
    await report.check(`${packed.target}: the one native module is ${packed.native}`, () =>
      checkNative(packed),
    );
    await report.check(`${packed.target}: all that the programs import is in it`, () => checkImports(packed));
    if (platform === 'win32')
      await report.check(`${packed.target}: the scheduled tasks name what is there`, () =>
        checkTasks(packed, REPOSITORY),
      );
    await report.check(`${packed.target}: the fuses are set`, () => checkFuses(packed));
    await report.check(`${packed.target}: the runtime starts, in Node in place of Electron`, () => {
      if (packed.native !== `${process.platform}-${process.arch}.node`) return 'made for another machine';
      const app = join(output, 'app', basename(packed.folder));
      cpSync(join(packed.folder, 'resources/app.asar.unpacked'), app, { recursive: true });
      extractAsar(join(packed.folder, 'resources/app.asar'), app);
      return startRuntime(app, process.execPath, output);
    });
  }
}

async function checkDeb(deb: Deb, more: Record<string, boolean>): Promise<void> {
  const name = `${deb.name} ${deb.arch}`;
  const work = join(output, `work-${deb.name}-${deb.arch}`);
  mkdirSync(work);
  await report.check(`${name}: dpkg-deb -I`, () => checkControl(deb, version));
  await report.check(`${name}: dpkg-deb -c`, () => checkContents(deb, more));
  await report.check(`${name}: scripts, sh -n`, () => checkScripts(deb, work));
  await report.check(`${name}: units, systemd-analyze verify`, () => checkUnits(deb, work));
  await report.check(`${name}: install, upgrade, remove, purge`, () => checkInstallCycle(deb, work));
}

async function checkChromiumDeb(arch: DebArch): Promise<void> {
  const name = `${CHROMIUM_PACKAGE} ${arch}`;
  let file = '';
  const built = await report.check(`${name}: is built`, () => {
    const lacks = missing(['dpkg-deb']);
    if (lacks.length > 0) return `this machine has no ${lacks.join(', ')}`;
    if (process.arch !== NODE_ARCH[arch]) return 'its Node would have to be downloaded';
    file = buildChromiumDeb(arch, output, 'none');
    return undefined;
  });
  if (!built) return;
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
    if (missing(['chromium']).length > 0) return 'this machine has no chromium';
    const app = join(output, 'chromium-tree/opt/placard-chromium');
    const data = mkdtempSync(join(output, 'smoke-'));
    const flags = ['--smoke-test', '--shell', 'headless', '--data', data];
    run(join(app, 'bin/node'), [join(app, 'dist/shells/main.js'), ...flags]);
    return undefined;
  });
}

try {
  const lacks = missing(['dpkg-deb']);
  if (lacks.length > 0) {
    await report.check('linux: packages for Debian', () => `this machine has no ${lacks.join(', ')}`);
  } else {
    await checkPacked('linux', 'linux');
    for (const arch of DEB_ARCHS)
      await checkDeb(
        { file: join(output, `placard_${version}_${arch}.deb`), name: 'placard', arch },
        { 'opt/Placard/placard-player': true, 'opt/Placard/resources/app.asar': false },
      );
  }
  await checkPacked('win32', 'win');
  for (const arch of DEB_ARCHS) await checkChromiumDeb(arch);
  await report.check('linux: AppImage', () => 'its tools are a download of the builder');
  await report.check('win: installer (NSIS)', () => 'its tools are a download of the builder');
} finally {
  rmSync(output, { recursive: true, force: true });
}
const { ok, failed, skipped } = report.count;
console.log(`${ok} ok, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 ? 1 : 0;
