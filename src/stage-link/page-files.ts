import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** One file of the built page, with its headers. */
export interface PageFile {
  body: Buffer;
  contentType: string;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/**
 * Reads the built page into memory, by URL path. It is small, and the server serves only what is in this map: path
 * traversal is impossible, and an update that replaces the folder does not affect an open page.
 */
export async function loadPageFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const reading = entries.map(async (entry) => {
    if (!entry.isFile()) {
      return;
    }
    const path = join(entry.parentPath, entry.name);
    const urlPath = `/${relative(folder, path).split(sep).join('/')}`;
    const contentType = CONTENT_TYPES[extname(entry.name)] ?? 'application/octet-stream';
    files.set(urlPath, { body: await readFile(path), contentType });
  });
  await Promise.all(reading);
  const index = files.get('/index.html');
  if (index) {
    files.set('/', index);
  }
  return files;
}
