/**
 * `npm run dist:check`: builds the packages as far as any machine can, downloads nothing, and looks into them. Prints a
 * line for each check; ends with 1 when one has failed.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { checkArchive, checkFuses, checkImports, checkNative } from './app-checks.ts';
import { checkContents, checkControl, checkScripts, checkUnits, type Deb } from './deb-checks.ts';
import { checkInstallCycle } from './install-cycle.ts';
import { pack, REPOSITORY, type Packed } from './pack.ts';
import { createReport } from './report.ts';
import { missing } from './run.ts';

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')));
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
    await report.check(`${packed.target}: the fuses are set`, () => checkFuses(packed));
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

try {
  const lacks = missing(['dpkg-deb']);
  if (lacks.length > 0) {
    await report.check('linux: packages for Debian', () => `this machine has no ${lacks.join(', ')}`);
  } else {
    await checkPacked('linux', 'linux');
    for (const arch of ['amd64', 'arm64'] as const)
      await checkDeb(
        { file: join(output, `placard_${version}_${arch}.deb`), name: 'placard', arch },
        { 'opt/Placard/placard-player': true, 'opt/Placard/resources/app.asar': false },
      );
  }
  await checkPacked('win32', 'win');
  await report.check('linux: AppImage', () => 'its tools are a download of the builder');
  await report.check('win: installer (NSIS)', () => 'its tools are a download of the builder');
} finally {
  rmSync(output, { recursive: true, force: true });
}
const { ok, failed, skipped } = report.count;
console.log(`${ok} ok, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 ? 1 : 0;
