import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { parseJson } from '../../src/core/parse-json.ts';

const POLL_INTERVAL_MS = 250;

/** The fields of the player's `status.json` that `npm start` reads. */
const playerStatus = z.object({
  state: z.string(),
  code: z.string().nullable(),
  now_playing: z.object({ playlist_id: z.string(), content_id: z.string(), since: z.string() }).nullable(),
});

/**
 * Yields `status.json` each time the player writes it. Call it before the player starts: the file of an earlier run is
 * skipped.
 */
export async function watchPlayerStatus(dataFolder: string) {
  const read = () => readFile(join(dataFolder, 'status.json'), 'utf8').catch(() => '');
  let lastText = await read();
  return (async function* () {
    for (;;) {
      const text = await read();
      if (text !== '' && text !== lastText) {
        lastText = text;
        // Invalid content is skipped; the player will overwrite it.
        const status = playerStatus.safeParse(parseJson(text)).data;
        if (status) {
          yield status;
        }
      }
      await sleep(POLL_INTERVAL_MS);
    }
  })();
}
