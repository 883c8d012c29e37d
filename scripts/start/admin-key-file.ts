import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { writeDurably } from '../../src/adapters/files/durable-file.ts';
import { errorCode } from '../../src/core/error-details.ts';

const adminKeyFile = z.object({ admin_key: z.string().min(20) });

/**
 * Returns the Admin key of the demo cloud. A cloud shows a key only once; the demo stores it (file mode 0600), so that
 * later starts can print it again. Rejects with a message for the terminal.
 */
export async function loadOrCreateAdminKey(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text === null ? createAdminKey(file) : parseAdminKey(text, file);
}

function parseAdminKey(text: string, file: string): string {
  try {
    return adminKeyFile.parse(JSON.parse(text)).admin_key;
  } catch (cause) {
    throw new Error(
      `${file} does not contain the Admin key of this demo. Write { "admin_key": "plk_…" } into it, or start with another folder: npm start -- --data FOLDER`,
      { cause },
    );
  }
}

async function createAdminKey(file: string): Promise<string> {
  const adminKey = `plk_${randomBytes(24).toString('base64url')}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeDurably(file, `${JSON.stringify({ admin_key: adminKey }, null, 2)}\n`);
  } catch (cause) {
    const code = errorCode(cause) || String(cause);
    throw new Error(
      `The data folder ${dirname(file)} cannot be written (${code}). Give this user write access and free disk space, or choose another folder with --data.`,
      { cause },
    );
  }
  return adminKey;
}
