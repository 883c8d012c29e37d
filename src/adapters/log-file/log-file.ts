import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  read,
  renameSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const MAX_FILE_BYTES = 5 * 1024 * 1024;

const olderFile = (path: string): string => `${path}.1`;

/**
 * Appends lines to a file that only its owner can read. One older file (`.1`) is kept; both together stay below 10
 * MB. A line that cannot be written (full disk, missing folder) is lost: logging must not disturb playback.
 *
 * Nothing is synced, to spare memory cards: the operating system collects what is appended for up to half a minute. A
 * process that is killed loses no line, a power cut those of that time.
 */
export function openLogFile(path: string): (line: string) => void {
  return (line) => {
    try {
      const size = statSync(path, { throwIfNoEntry: false })?.size;
      if (size === undefined) {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      } else if (size > MAX_FILE_BYTES) {
        renameSync(path, olderFile(path));
      }
      appendFileSync(path, line, { mode: 0o600 });
    } catch {
      // See above.
    }
  };
}

/**
 * The last `maxBytes` of what `openLogFile` has written to this path, from the start of a line; what is appended after
 * this call is not in it. Empty when nothing can be read.
 */
export async function readLogEnd(path: string, maxBytes: number): Promise<string> {
  // Opened and measured at once: neither later lines nor a rotation change what is read.
  const files = [path, olderFile(path)].flatMap(openForReading);
  let end = Buffer.alloc(0);
  for (const { descriptor, size } of files) {
    end = Buffer.concat([await readEnd(descriptor, size, maxBytes - end.length), end]);
    closeSync(descriptor);
  }
  const isWhole = files.reduce((sum, { size }) => sum + size, 0) <= maxBytes;
  const text = end.toString('utf8');
  return isWhole ? text : text.slice(text.indexOf('\n') + 1);
}

interface OpenedFile {
  descriptor: number;
  size: number;
}

function openForReading(path: string): OpenedFile[] {
  try {
    const descriptor = openSync(path, 'r');
    return [{ descriptor, size: fstatSync(descriptor).size }];
  } catch {
    return [];
  }
}

async function readEnd(descriptor: number, size: number, maxBytes: number): Promise<Buffer> {
  const length = Math.min(size, maxBytes);
  try {
    const { bytesRead, buffer } = await promisify(read)(
      descriptor,
      Buffer.alloc(length),
      0,
      length,
      size - length,
    );
    return buffer.subarray(0, bytesRead);
  } catch {
    return Buffer.alloc(0);
  }
}
