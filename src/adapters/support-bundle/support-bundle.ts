import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { MAX_LIVE_LOG_CHARS, MAX_LIVE_LOG_LINES } from '@placard/protocol';
import type { LiveLogLines, LogBundle } from '@placard/protocol';
import type { Log, SupportBundle } from '../../core/ports.ts';
import { findUsbSticks } from './usb-sticks.ts';
import type { UsbDeps } from './usb-sticks.ts';

const MAX_BUNDLES = 3;
const STATUS_FILE = 'status.json';

type NamedText = [name: string, text: string];
const compress = promisify(gzip);

function withoutOlderHalf([name, text]: NamedText): NamedText {
  const newer = text.slice(Math.ceil(text.length / 2));
  // From the start of a line, if there is one.
  return [name, name === STATUS_FILE ? text : newer.slice(newer.indexOf('\n') + 1)];
}

/**
 * Writes what support needs: the last lines of the logs and the status, as plain text without secrets. Into the data
 * folder, where the newest few are kept, and onto every USB stick that is plugged in.
 */
export function createSupportBundle(deps: {
  dataDir: string;
  /** Part of the folder's name, so that bundles of several devices fit onto one stick. */
  hostname: string;
  /** The last lines of this process's log. */
  recentLog: {
    read(): string;
    newest(limits: { maxChars: number; maxLines: number }): LiveLogLines;
  };
  /** Hides secrets in what is not from the recent log, which has none. */
  redact(text: string): string;
  /** The other logs by the names of their files; each is read when a bundle is made, and never rejects. */
  otherLogs: Readonly<Record<string, () => Promise<string>>>;
  usb?: UsbDeps;
  log: Log;
}): SupportBundle {
  const { dataDir, log } = deps;
  const supportDir = join(dataDir, 'support');

  async function collectFiles(status: object): Promise<NamedText[]> {
    const files: NamedText[] = [
      [STATUS_FILE, deps.redact(`${JSON.stringify(status, null, 2)}\n`)],
      ['runtime.log', deps.recentLog.read()],
    ];
    for (const [name, readLog] of Object.entries(deps.otherLogs)) {
      files.push([name, deps.redact(await readLog())]);
    }
    return files;
  }

  async function deleteOlderBundles(): Promise<void> {
    const names = await readdir(supportDir).catch(() => []);
    // The names end with the time.
    for (const name of names.toSorted((a, b) => (a < b ? -1 : 1)).slice(0, -(MAX_BUNDLES - 1))) {
      await rm(join(supportDir, name), { recursive: true, force: true });
    }
  }

  return {
    async pack(status, maxBytes) {
      for (let files = await collectFiles(status); ; files = files.map(withoutOlderHalf)) {
        const bundle: LogBundle = { files: files.map(([name, text]) => ({ name, text })) };
        const packed = await compress(JSON.stringify(bundle));
        if (packed.length <= maxBytes) {
          return packed;
        }
        if (files.every(([name, text]) => name === STATUS_FILE || text === '')) {
          throw new Error(`the status alone has more than ${maxBytes} bytes`);
        }
      }
    },
    newestLines: () => deps.recentLog.newest({ maxChars: MAX_LIVE_LOG_CHARS, maxLines: MAX_LIVE_LOG_LINES }),
    async save(status, atMs) {
      const stamp = new Date(atMs).toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '');
      const name = `placard-logs-${deps.hostname.replace(/[^\w-]/g, '_')}-${stamp}`;
      const files = await collectFiles(status);
      await deleteOlderBundles();
      const places: string[] = [];
      let failure: unknown = null;
      for (const parent of [supportDir, ...(await findUsbSticks(deps.usb))]) {
        const place = join(parent, name);
        try {
          await writeAll(place, files);
          places.push(place);
        } catch (error) {
          failure = error;
          log.warn({ place, error: String(error) }, 'support.write_failed');
        }
      }
      if (places.length === 0) {
        throw failure;
      }
      log.info({ places }, 'support.written');
      return places;
    },
  };
}

/** Synced, because a stick is pulled out as soon as the screen says that it is done. */
async function writeAll(folder: string, files: readonly NamedText[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of files) {
    await writeFile(join(folder, name), text, { flush: true });
  }
}
