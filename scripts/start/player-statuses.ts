import { watch } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/** The part of the player's `status.json` that a start reads. */
const playerStatus = z.object({
  state: z.string(),
  code: z.string().nullable(),
  now_playing: z.object({ playlist_id: z.string(), content_id: z.string(), since: z.string() }).nullable(),
});
export type PlayerStatus = z.infer<typeof playerStatus>;

/** Yields `status.json` each time the player writes it; what an earlier start left there is passed over. */
export async function* playerStatuses(dataFolder: string): AsyncGenerator<PlayerStatus> {
  await mkdir(dataFolder, { recursive: true });
  const read = () => readFile(join(dataFolder, 'status.json'), 'utf8').catch(() => '');
  let seen = await read();
  let wake = () => {};
  const watcher = watch(dataFolder, () => wake());
  try {
    for (;;) {
      const changed = new Promise<void>((done) => (wake = done));
      const text = await read();
      if (text !== '' && text !== seen) {
        seen = text;
        yield playerStatus.parse(JSON.parse(text));
      }
      // The watch is a hint only: it can miss a rename on some file systems.
      await Promise.race([changed, sleep(500)]);
    }
  } finally {
    watcher.close();
  }
}
