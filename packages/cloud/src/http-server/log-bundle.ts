import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { logBundle, MAX_LOGS_TEXT_BYTES } from '@placard/protocol';
import type { LogBundle } from '@placard/protocol';

const decompress = promisify(gunzip);

/** The files that a device has sent as its logs, as JSON in gzip; null for anything else. */
export async function readLogBundle(bytes: Buffer): Promise<LogBundle | null> {
  try {
    const text = await decompress(bytes, { maxOutputLength: MAX_LOGS_TEXT_BYTES });
    return logBundle.parse(JSON.parse(text.toString('utf8')));
  } catch {
    return null;
  }
}
