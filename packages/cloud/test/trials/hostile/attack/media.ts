import { damaged, knownKillers, soundFiles } from '../../fuzz/media-files.ts';
import { multipart } from '../../support/upload.ts';
import { z } from 'zod';
import type { Scene } from './scene.ts';

/** Files that stay in the cloud; an operator removes the others. */
const KEEP = 20;
const uploaded = z.object({ data: z.object({ id: z.string() }) });

/** Uploads damaged media with a Write key: every fifth is a file that is known to have hung or ended a cloud. */
export async function damagedMedia(scene: Scene): Promise<void> {
  const { orders, chance } = scene;
  const samples = await soundFiles();
  const killers = await knownKillers();
  const held: string[] = [];
  const sender = async (key: string) => {
    while (await scene.pause(20)) {
      const killer = chance.once(5);
      const sample = chance.pick(killer ? killers : samples);
      const bytes = killer ? sample.bytes : damaged(sample.bytes, chance);
      const { body, contentType } = multipart(
        { name: 'hostile file' },
        { fileName: sample.name, contentType: 'video/mp4', bytes },
      );
      scene.did(`upload ${sample.name}`);
      const answer = await scene.ask({
        attack: killer ? 'killer files' : 'damaged files',
        method: 'POST',
        path: '/v1/content/upload',
        key,
        headers: { 'content-type': contentType },
        body,
      });
      const made = answer?.status === 201 ? uploaded.safeParse(JSON.parse(answer.text)).data : undefined;
      if (made) held.push(made.data.id);
      const oldest = held.length > KEEP ? held.shift() : undefined;
      if (oldest !== undefined)
        await scene.ask({
          attack: 'removals by an operator',
          method: 'DELETE',
          path: `/v1/content/${oldest}`,
          key: orders.cleanerKey,
        });
      if (answer?.status === 429) await scene.pause(answer.retryAfterS * 1000);
      else if (answer === null || answer.status >= 500) await scene.pause(500);
    }
  };
  // The first key is for rules and odd bodies.
  const keys = orders.writeKeys.slice(1);
  await Promise.all(
    Array.from({ length: orders.pressure.uploads }, (_, index) => sender(keys[index % keys.length]!)),
  );
}
