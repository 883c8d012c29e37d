import { open } from 'node:fs/promises';

// Files in the folder of a rendition that is being made. A video is encoded in parts.

/** Of a part that is whole: when it begins, how many frames it stands for, and the versions of what has encoded it. */
export const partName = (part: { start: number; frames: number }, versions: string): string =>
  `part-${Math.round(part.start * 1e6)}-${part.frames}-${versions}`;

export const isPartName = (name: string): boolean => /^part-\d+-\d+-[0-9a-f]+$/.test(name);

/** The part that is being written, beside the file that all parts are joined to. */
export const unfinishedPartPath = (to: string): string => `${to}.part`;

/** Waits until a file that was written is on the disk. */
export async function flushFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
