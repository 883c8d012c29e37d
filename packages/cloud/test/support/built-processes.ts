import { join } from 'node:path';
import { PROGRAM_FILES } from '../../src/program/program-files.ts';

const BUILD = join(import.meta.dirname, '../../dist/program');

// For vitest, before the tests of a file: media are inspected and converted by the programs of the build, as in a cloud that
// runs. Hundreds of them are started, and from their sources each takes about twice as long.
Object.assign(PROGRAM_FILES, {
  codeFolders: [BUILD],
  inspectionMain: join(BUILD, 'inspection.js'),
  renditionMain: join(BUILD, 'rendition.js'),
});
