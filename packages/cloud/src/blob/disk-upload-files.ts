import { constants } from 'node:fs';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFile, sizeOfFile, writeAt } from './blob-files.ts';
import { flushAndClose } from './staging.ts';
import { UPLOAD_ID } from './upload-files.ts';
import type { UploadFiles } from './upload-files.ts';

/** Keeps each upload as one file, which grows, in a folder of this disk. */
export async function openDiskUploadFiles(dir: string): Promise<UploadFiles> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const pathOf = (id: string): string => {
    if (!UPLOAD_ID.test(id)) {
      throw new RangeError('not the id of an upload');
    }
    return join(dir, id);
  };
  const has: UploadFiles['has'] = async ({ id, received }) =>
    received === 0 || ((await sizeOfFile(pathOf(id))) ?? 0) >= received;

  return {
    has,
    async append({ id, received }) {
      const file = await open(pathOf(id), constants.O_RDWR | constants.O_CREAT, 0o600);
      let end = received;
      return {
        async write(bytes) {
          await writeAt(file, bytes, end);
          end += bytes.length;
        },
        async flush(record) {
          await file.datasync();
          if (received === 0) {
            // A new file survives a power cut only once its folder is flushed.
            await flushAndClose(await open(dir, 'r'));
          }
          await record([]);
        },
        // The next writer begins where these bytes began.
        discard: async () => {},
        close: () => file.close(),
      };
    },
    async withFile({ id, received: size }, _parts, use) {
      const path = pathOf(id);
      if ((await sizeOfFile(path)) !== size) {
        return null;
      }
      return use({ path, size, sha256: await hashFile(path) });
    },
    delete: (id) => rm(pathOf(id), { force: true }),
    async *list() {
      yield* (await readdir(dir)).filter((name) => UPLOAD_ID.test(name));
    },
  };
}
