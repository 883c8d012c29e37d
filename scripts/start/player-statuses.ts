import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const LOOK_EVERY_MS = 250;

/** The part of the player's `status.json` that a start reads. */
const playerStatus = z.object({
  state: z.string(),
  code: z.string().nullable(),
  now_playing: z.object({ playlist_id: z.string(), content_id: z.string(), since: z.string() }).nullable(),
});
export type PlayerStatus = z.infer<typeof playerStatus>;

/**
 * Yields `status.json` each time the player writes it. Call it before the player starts: what an earlier run left
 * there is passed over.
 */
export async function playerStatuses(dataFolder: string): Promise<AsyncGenerator<PlayerStatus>> {
  const read = () => readFile(join(dataFolder, 'status.json'), 'utf8').catch(() => '');
  let seen = await read();
  return (async function* () {
    for (;;) {
      const text = await read();
      if (text !== '' && text !== seen) {
        seen = text;
        const status = parse(text);
        if (status) yield status;
      }
      await sleep(LOOK_EVERY_MS);
    }
  })();
}

/** Null for what is no status; the player will write a better one. */
function parse(text: string): PlayerStatus | null {
  try {
    return playerStatus.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
