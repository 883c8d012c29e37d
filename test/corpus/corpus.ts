import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CorpusFile, Playable } from './corpus-file.ts';
import { pictures } from './list/pictures.ts';
import { refusals } from './list/refusals.ts';
import { videos } from './list/videos.ts';

export const CORPUS: readonly CorpusFile[] = [...videos, ...pictures, ...refusals];

export const isPlayable = (file: CorpusFile): file is Playable => !('reason' in file.answer);

export const FILES_DIR = join(import.meta.dirname, 'files');
export const corpusBytes = (name: string): Promise<Buffer> => readFile(join(FILES_DIR, name));
