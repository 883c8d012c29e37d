import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { readAsar } from './asar.ts';
import { FUSES, readFuses, type Fuse } from './fuses.ts';
import type { Packed } from './pack.ts';
import { expectNothing } from './report.ts';

const PROGRAMS = ['dist/shells/electron/main.js', 'dist/runtime/main.js', 'dist/renderer/index.html'];
const BELONGS = /^(dist|node_modules|package\.json)(\/|$)/;

const openArchive = (packed: Packed) => readAsar(join(packed.folder, 'resources/app.asar'));

/** The archive holds the programs of the player, and nothing of the repository besides. */
export function checkArchive(packed: Packed): void {
  const files = [...openArchive(packed).keys()];
  expectNothing([
    ...PROGRAMS.filter((path) => !files.includes(path)).map((path) => `${path} is missing`),
    ...files
      .filter((path) => !BELONGS.test(path))
      .map((path) => `${path} does not belong in it`)
      .slice(0, 5),
    ...files
      .filter((path) => /\.(map|ts)$/.test(path) && path.startsWith('dist/'))
      .map((path) => `${path} is in it`),
  ]);
}

/** One native module, the right one, and outside of the archive, where it can be loaded from. */
export function checkNative(packed: Packed): void {
  const unpacked = readdirSync(join(packed.folder, 'resources'), { recursive: true, encoding: 'utf8' });
  const native = unpacked.filter((path) => path.endsWith('.node')).map((path) => basename(path));
  const archived = [...openArchive(packed).keys()].filter((path) => path.endsWith('.node'));
  expectNothing([
    ...(native.length === 1 && native[0] === packed.native
      ? []
      : [`unpacked: ${native.join(', ') || 'none'}`]),
    ...archived.filter((path) => basename(path) !== packed.native),
  ]);
}

/** Every package that a program imports is in the archive. */
export function checkImports(packed: Packed): void {
  const files = openArchive(packed);
  const wrong: string[] = [];
  for (const [file, bytes] of files) {
    if (!bytes || !/^dist\/(?!renderer\/).*\.js$/.test(file)) continue;
    const { module } = parseSync(file, bytes.toString('utf8'));
    for (const { moduleRequest } of module.staticImports) {
      const name = moduleRequest.value;
      if (name.startsWith('.') || name.startsWith('node:') || name === 'electron') continue;
      const [scope = '', part = ''] = name.split('/');
      const folder = scope.startsWith('@') ? `${scope}/${part}` : scope;
      if (!builtinModules.includes(name) && !files.has(`node_modules/${folder}/package.json`))
        wrong.push(`${file} imports ${name}, which is not in the package`);
    }
  }
  expectNothing(wrong);
}

/** The fuses of the program are those of a locked-down player. */
export function checkFuses(packed: Packed): void {
  const on = readFuses(packed.program);
  const wanted = new Set<Fuse>(['EmbeddedAsarIntegrityValidation', 'OnlyLoadAppFromAsar']);
  expectNothing(
    FUSES.filter((fuse) => on.has(fuse) !== wanted.has(fuse)).map(
      (fuse) => `${fuse} is ${on.has(fuse) ? 'on' : 'off'}`,
    ),
  );
}

/** What names the installed program on Windows: files of the package, and what people are told. */
const TASKS = ['player-task.xml', 'update-task.xml'];
const SCRIPTS = ['placard-setup.ps1', 'placard-update.ps1'];
const DOCUMENT = 'docs/install-windows.md';
/** Copied there by the installer: an update replaces the folder of the program. */
const HELPER = '%ProgramData%\\Placard\\update\\helper\\placard-update.ps1';

/**
 * The scheduled tasks, the scripts and the document name what the installer makes of this package: the builder names
 * folder, program and uninstaller after the file name of the product, which is that of the packed program.
 */
export function checkTasks(packed: Packed, repository: string): void {
  const name = basename(packed.program, '.exe');
  const resources = join(packed.folder, 'resources/windows');
  const texts = new Map(
    [...TASKS, ...SCRIPTS].map((file) => [file, readFileSync(join(resources, file), 'utf8')]),
  );
  const document = readFileSync(join(repository, DOCUMENT), 'utf8');
  const lacks = (file: string, text: string) => {
    const within = file === DOCUMENT ? document : (texts.get(file) ?? '');
    return within.includes(text) ? [] : [`${file} does not name ${text}`];
  };
  const named = [...texts, [DOCUMENT, document] as const].flatMap(([file, text]) =>
    [...text.matchAll(/(?:%ProgramFiles%|C:\\Program Files)\\([^\\<"`*]+)\\/g)]
      .filter(([, folder]) => folder !== name)
      .map(([whole]) => `${file} names ${whole}`),
  );
  expectNothing([
    ...named,
    ...lacks('player-task.xml', `<Command>%ProgramFiles%\\${name}\\${name}.exe</Command>`),
    ...lacks('update-task.xml', `-File "${HELPER}"`),
    ...lacks('placard-update.ps1', `'${name}\\${name}.exe'`),
    ...lacks('placard-setup.ps1', 'resources\\windows\\placard-update.ps1'),
    ...lacks(DOCUMENT, `C:\\Program Files\\${name}\\${name}.exe`),
    ...lacks(DOCUMENT, `Uninstall ${name}.exe`),
  ]);
}
