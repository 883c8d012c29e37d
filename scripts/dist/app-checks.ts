import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { readAsar } from './asar.ts';
import { FUSES, readFuses } from './fuses.ts';
import type { Fuse } from './fuses.ts';
import type { PackedApp } from './pack.ts';
import { throwOnProblems } from './report.ts';

const PROGRAMS = ['dist/shells/electron/main.js', 'dist/runtime/main.js', 'dist/renderer/index.html'];
const ALLOWED_PATHS = /^(dist|node_modules|package\.json)(\/|$)/;

const openArchive = (packed: PackedApp) => readAsar(join(packed.folder, 'resources/app.asar'));

/** The archive contains the programs of the player and no other files of the repository. */
export function checkArchive(packed: PackedApp): void {
  const files = [...openArchive(packed).keys()];
  throwOnProblems([
    ...PROGRAMS.filter((path) => !files.includes(path)).map((path) => `${path} is missing`),
    ...files
      .filter((path) => !ALLOWED_PATHS.test(path))
      .map((path) => `${path} must not be in it`)
      .slice(0, 5),
    ...files
      .filter((path) => /\.(map|ts)$/.test(path) && path.startsWith('dist/'))
      .map((path) => `${path} must not be in it`),
  ]);
}

/** There is exactly one native module, the right one, and it is outside the archive, where it can be loaded from. */
export function checkNative(packed: PackedApp): void {
  const unpacked = readdirSync(join(packed.folder, 'resources'), { recursive: true, encoding: 'utf8' });
  const native = unpacked.filter((path) => path.endsWith('.node')).map((path) => basename(path));
  const archived = [...openArchive(packed).keys()].filter((path) => path.endsWith('.node'));
  throwOnProblems([
    ...(native.length === 1 && native[0] === packed.nativeModule
      ? []
      : [`unpacked native modules: ${native.join(', ') || 'none'}`]),
    ...archived.filter((path) => basename(path) !== packed.nativeModule),
  ]);
}

/** Every package that a program imports is in the archive. */
export function checkImports(packed: PackedApp): void {
  const files = openArchive(packed);
  const problems: string[] = [];
  for (const [file, bytes] of files) {
    if (!bytes || !/^dist\/(?!renderer\/).*\.js$/.test(file)) {
      continue;
    }
    const { module } = parseSync(file, bytes.toString('utf8'));
    for (const { moduleRequest } of module.staticImports) {
      const name = moduleRequest.value;
      if (name.startsWith('.') || name.startsWith('node:') || name === 'electron') {
        continue;
      }
      const [scope = '', part = ''] = name.split('/');
      const folder = scope.startsWith('@') ? `${scope}/${part}` : scope;
      if (!builtinModules.includes(name) && !files.has(`node_modules/${folder}/package.json`)) {
        problems.push(`${file} imports ${name}, which is not in the package`);
      }
    }
  }
  throwOnProblems(problems);
}

/** The fuses of the program are set as a locked-down player needs them. */
export function checkFuses(packed: PackedApp): void {
  const on = readFuses(packed.program);
  const wanted = new Set<Fuse>(['EmbeddedAsarIntegrityValidation', 'OnlyLoadAppFromAsar']);
  throwOnProblems(
    FUSES.filter((fuse) => on.has(fuse) !== wanted.has(fuse)).map(
      (fuse) => `${fuse} is ${on.has(fuse) ? 'on' : 'off'}`,
    ),
  );
}

/** Packaged files that name the installed program on Windows; DOCUMENT names it as well. */
const TASKS = ['player-task.xml', 'update-task.xml'];
const SCRIPTS = ['placard-setup.ps1', 'placard-update.ps1'];
const DOCUMENT = 'docs/install-windows.md';
/** The installer copies the helper there, because an update replaces the program's folder. */
const HELPER = '%ProgramData%\\Placard\\update\\helper\\placard-update.ps1';

/**
 * The scheduled tasks, the scripts and the document use the names that the installer uses for this package:
 * electron-builder names folder, program and uninstaller after the product, as it does the packed program.
 */
export function checkTasks(packed: PackedApp, repository: string): void {
  const name = basename(packed.program, '.exe');
  const resources = join(packed.folder, 'resources/windows');
  const texts = new Map(
    [...TASKS, ...SCRIPTS].map((file) => [file, readFileSync(join(resources, file), 'utf8')]),
  );
  const document = readFileSync(join(repository, DOCUMENT), 'utf8');
  const reportMissing = (file: string, text: string) => {
    const within = file === DOCUMENT ? document : (texts.get(file) ?? '');
    return within.includes(text) ? [] : [`${file} does not name ${text}`];
  };
  const foreignFolders = [...texts, [DOCUMENT, document] as const].flatMap(([file, text]) =>
    [...text.matchAll(/(?:%ProgramFiles%|C:\\Program Files)\\([^\\<"`*]+)\\/g)]
      .filter(([, folder]) => folder !== name)
      .map(([whole]) => `${file} names ${whole}`),
  );
  throwOnProblems([
    ...foreignFolders,
    ...reportMissing('player-task.xml', `<Command>%ProgramFiles%\\${name}\\${name}.exe</Command>`),
    ...reportMissing('update-task.xml', `-File "${HELPER}"`),
    ...reportMissing('placard-update.ps1', `'${name}\\${name}.exe'`),
    ...reportMissing('placard-setup.ps1', 'resources\\windows\\placard-update.ps1'),
    ...reportMissing(DOCUMENT, `C:\\Program Files\\${name}\\${name}.exe`),
    ...reportMissing(DOCUMENT, `Uninstall ${name}.exe`),
  ]);
}
