import { PlacardError } from '@placard/client';
import type { ErrorFields } from '../output/failure.ts';
import { isFileError } from '../output/failure.ts';
import type { Columns } from '../output/table.ts';

/** A file that could not be read, or that the cloud refused. */
export interface FileFailure {
  name: string;
  error: ErrorFields;
}

export const FILE_FAILURE_COLUMNS: Columns<FileFailure> = {
  FILE: ({ name }) => name,
  FAILED: ({ error }) => error.message,
};

/** What concerns the key, or a cloud that is away or busy, concerns all files. */
const OF_ALL_FILES = new Set([401, 403, 408, 429]);

export const concernsOneFile = (error: unknown): boolean =>
  isFileError(error) ||
  (error instanceof PlacardError &&
    error.status >= 400 &&
    error.status < 500 &&
    !OF_ALL_FILES.has(error.status));

/** The same bytes under the same name would be refused again. */
export const isRefused = (error: unknown): boolean =>
  error instanceof PlacardError &&
  ['UNSUPPORTED_MEDIA_TYPE', 'FILE_TOO_LARGE', 'VALIDATION_ERROR'].includes(error.code);
