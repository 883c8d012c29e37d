import { corrupt, maliciousSamples, validSamples } from '../../fuzz/media-files.ts';
import { multipart } from '../../support/multipart.ts';
import { z } from 'zod';
import type { AttackContext } from './attack-context.ts';

/** Files that stay in the cloud; the others are deleted by an operator. */
const MAX_UPLOADS = 20;
const uploaded = z.object({ data: z.object({ id: z.string() }) });

/** Uploads damaged media with a Write key: every fifth is a file known to have hung or crashed a cloud. */
export async function uploadDamagedMedia(context: AttackContext): Promise<void> {
  const { config, random } = context;
  const samples = await validSamples();
  const malicious = await maliciousSamples();
  const uploadedIds: string[] = [];
  const sender = async (key: string) => {
    while (await context.pause(20)) {
      const isMalicious = random.oneIn(5);
      const sample = random.pick(isMalicious ? malicious : samples);
      const bytes = isMalicious ? sample.bytes : corrupt(sample.bytes, random);
      const { body, contentType } = multipart(
        { name: 'hostile file' },
        { fileName: sample.name, contentType: 'video/mp4', bytes },
      );
      context.logActivity(`upload ${sample.name}`);
      const response = await context.sendRequest({
        attack: isMalicious ? 'killer files' : 'damaged files',
        method: 'POST',
        path: '/v1/content/upload',
        key,
        headers: { 'content-type': contentType },
        body,
      });
      const made = response?.status === 201 ? uploaded.safeParse(JSON.parse(response.text)).data : undefined;
      if (made) {
        uploadedIds.push(made.data.id);
      }
      const oldest = uploadedIds.length > MAX_UPLOADS ? uploadedIds.shift() : undefined;
      if (oldest !== undefined) {
        await context.sendRequest({
          attack: 'removals by an operator',
          method: 'DELETE',
          path: `/v1/content/${oldest}`,
          key: config.cleanerKey,
        });
      }
      if (response?.status === 429) {
        await context.pause(response.retryAfterS * 1000);
      } else if (response === null || response.status >= 500) {
        await context.pause(500);
      }
    }
  };
  // The first key is for rules and odd bodies.
  const keys = config.writeKeys.slice(1);
  await Promise.all(
    Array.from({ length: config.pressure.uploads }, (_, index) => sender(keys[index % keys.length]!)),
  );
}
