import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';

const kept = z.object({ admin_key: z.string().min(20) });

/**
 * The Admin key of the demo cloud. A cloud shows a key once; the demo keeps its own (file mode 0600), so that a second
 * start can print it again.
 */
export async function keptAdminKey(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text !== null) return kept.parse(JSON.parse(text)).admin_key;
  const adminKey = `plk_${randomBytes(24).toString('base64url')}`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify({ admin_key: adminKey }, null, 2)}\n`, { mode: 0o600 });
  return adminKey;
}
