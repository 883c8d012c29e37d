import { open, rename } from 'node:fs/promises';

/** Writes a file atomically and durably, readable by its owner only. */
export async function writeDurably(path: string, content: string | Buffer): Promise<void> {
  {
    await using file = await open(`${path}.new`, 'w', 0o600);
    await file.writeFile(content);
    await file.sync();
  }
  await rename(`${path}.new`, path);
}
