import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestCloud } from '../../cloud/test/support/test-cloud.ts';
import type { TestCloud } from '../../cloud/test/support/test-cloud.ts';
import { fillQueue } from '../../cloud/test/support/waiting-deliveries.ts';
import { runPlacard } from './support/run-placard.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

test('a replay into a full queue fails and says where to go on', async () => {
  const since = new Date(cloud.clock.nowMs()).toISOString();
  for (const name of ['First', 'Second', 'Third']) {
    await cloud.admin.post('/v1/playlists', { name });
  }
  // Nothing is sent while it is not active.
  const hook = { url: 'https://example.com/hook', events: ['playlist.created'], is_active: false };
  const { id } = (await cloud.admin.post('/v1/webhooks', hook)).data;
  const replay = (...args: string[]) => runPlacard(cloud, ['webhooks', 'replay', id, ...args]);
  expect((await replay()).code).toBe(2);
  const empty = await fillQueue(cloud, id, 1);
  const failed = await replay('--since', since);
  expect([failed.code, failed.stdout]).toEqual([5, '']);
  expect(failed.stderr).toContain('wait for this webhook already');
  const [, next = ''] =
    /^Sending 1 notifications? once more\. Go on with --after (evt_\w+)$/m.exec(failed.stderr) ?? [];
  await empty();
  expect((await replay('--after', next, '--json')).json).toEqual({ queued: 2 });
});
