import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { prepareDataFolder } from './data-folder.ts';

describe('the data folder', () => {
  test('is created for the player only', async () => {
    const folder = tempDir();
    const data = join(folder, 'deep', 'player');
    prepareDataFolder(data);
    expect((await stat(data)).mode & 0o777).toBe(0o700);
  });

  test('is reported in one sentence, with what to do, when it cannot be created', async () => {
    const folder = tempDir();
    await writeFile(join(folder, 'a-file'), '');
    const data = join(folder, 'a-file', 'player');
    expect(() => prepareDataFolder(data)).toThrow(/cannot be written.*--data/);
    expect(() => prepareDataFolder(data)).toThrow(data);
  });
});
