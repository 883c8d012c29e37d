import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { animation, png } from '../../cloud/test/support/media.ts';
import { startTestCloud } from '../../cloud/test/support/test-cloud.ts';
import type { TestCloud } from '../../cloud/test/support/test-cloud.ts';
import { runPlacard } from './support/run-placard.ts';

// Encoders are slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let cloud: TestCloud;
beforeAll(async () => {
  // At the lowest priority they would take many times as long while others compute.
  cloud = await startTestCloud({ renditionLimits: { nicer: 0 } });
});
afterAll(() => cloud.close());

const run = (...args: string[]) => runPlacard(cloud, ['content', 'renditions', ...args]);
const waitFor = (name: string, state: string) =>
  eventually(async () => expect((await run(name, '--json')).json).toMatchObject([{ state }]), 60_000);

test('the copy of a file is asked for, and how far it is is shown', async () => {
  const { id } = (await cloud.admin.upload(await png(1, 4000, 20), 'Banner')).data;
  await cloud.admin.upload(await png(2), 'Small');
  expect((await run('Banner')).stdout, 'none is made').toBe('None.\n');
  const refused = await run('Banner', '--make');
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^placard: The organization makes no such copies.*\n {2}CONFLICT: http/),
  ]);

  await cloud.admin.patch('/v1/organization', { renditions: 'on_demand' });
  expect((await run('Banner')).stdout).toMatch(
    /^KIND +STATE +SIZE +BYTES +REASON\nstill_3840 +possible +– +– +–\n$/,
  );
  expect((await run('Banner', '--make')).stdout).toBe(`The copy still_3840 of ${id} is wanted.\n`);
  await waitFor('Banner', 'ready');
  expect((await run('Banner')).stdout).toMatch(/\nstill_3840 +ready +3840×19 +\d+ +–\n$/);
  expect((await run('Banner', '--make', '--json')).json).toMatchObject({ state: 'ready' });

  expect((await run('Small')).stdout, 'every screen shows it').toBe('None.\n');
  expect(await run('Small', '--make')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('CONFLICT'),
  });
});

test('a copy that cannot be made is shown with the reason', async () => {
  await cloud.admin.patch('/v1/organization', { renditions: 'on_demand' });
  await cloud.admin.upload(await animation(4000, 20), 'Ticker');
  await run('Ticker', '--make');
  await waitFor('Ticker', 'failed');
  expect((await run('Ticker')).stdout).toMatch(/\nstill_3840 +failed +– +– +.*animation/);
});
