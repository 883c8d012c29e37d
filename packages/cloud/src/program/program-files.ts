import { resolve } from 'node:path';

/** Files that the program itself consists of. */
interface ProgramFiles {
  /** Contain all code of this repository that the processes which inspect and convert media may load. */
  codeFolders: readonly [string, ...string[]];
  /** What the process that inspects media runs. */
  inspectionMain: string;
  /** What the process that makes renditions runs. */
  renditionMain: string;
  /** What the thread that moves the write-ahead log runs. */
  checkpointMain: string;
  /** The module that people sign in with. */
  signInEngine: string;
  /** The build of the docs page. */
  docs: string;
  /** The build of the console. */
  console: string;
}

const here = import.meta.dirname;

/**
 * Where they are when it runs as the bundle of `scripts/build-cloud.ts`, whose modules are all in `dist/program`, and when
 * it runs from source, as most tests do.
 */
export const PROGRAM_FILES: ProgramFiles = import.meta.filename.endsWith('.js')
  ? {
      codeFolders: [here],
      inspectionMain: resolve(here, 'inspection.js'),
      renditionMain: resolve(here, 'rendition.js'),
      checkpointMain: resolve(here, 'checkpoint.js'),
      signInEngine: resolve(here, 'sign-in.js'),
      docs: resolve(here, '../docs'),
      console: resolve(here, '../console'),
    }
  : {
      codeFolders: [resolve(here, '..'), resolve(here, '../../../protocol')],
      inspectionMain: resolve(here, '../media/child/main.ts'),
      renditionMain: resolve(here, '../media/rendition/main.ts'),
      checkpointMain: resolve(here, '../database/checkpoint/main.ts'),
      signInEngine: resolve(here, '../people/engine/main.ts'),
      docs: resolve(here, '../../dist/docs'),
      console: resolve(here, '../../dist/console'),
    };
