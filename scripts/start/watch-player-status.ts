import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const POLL_INTERVAL_MS = 250;

/** The fields of the player's `status.json` that `npm start` reads. */
const playerStatus = z.object({
  state: z.string(),
  code: z.string().nullable(),
  now_playing: z.object({ playlist_id: z.string(), content_id: z.string(), since: z.string() }).nullable(),
});
export type PlayerStatus = z.infer<typeof playerStatus>;

/**
 * Yields `status.json` each time the player writes it. Call it before the player starts: the file of an earlier run is
 * skipped.
 */
export async function watchPlayerStatus(dataFolder: string): Promise<AsyncGenerator<PlayerStatus>> {
  const read = () => readFile(join(dataFolder, 'status.json'), 'utf8').catch(() => '');
  let lastText = await read();
  return (async function* () {
    for (;;) {
      const text = await read();
      if (text !== '' && text !== lastText) {
        lastText = text;
        const status = parse(text);
        if (status) {
          yield status;
        }
      }
      await sleep(POLL_INTERVAL_MS);
    }
  })();
}

/** Null for invalid content; the player will overwrite it. */
function parse(text: string): PlayerStatus | null {
  try {
    return playerStatus.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
