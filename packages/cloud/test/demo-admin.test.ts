import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCloudApi } from '../../../scripts/start/cloud-api.ts';
import { DEMO_ADMIN, ensureDemoAdmin } from '../../../scripts/start/demo-admin.ts';
import { addPerson } from './support/browser.ts';
import { ADMIN_KEY, startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const ensure = () => ensureDemoAdmin(createCloudApi(cloud.cloud.url, ADMIN_KEY));

test('the demo makes its Admin once, and links to it only while there is no other', async () => {
  expect(await ensure()).toBe(true);
  expect(await ensure()).toBe(true);
  const { data } = await cloud.admin.get('/v1/users');
  expect(data).toMatchObject([{ ...DEMO_ADMIN, role: 'Admin', disabled: false }]);
  const [{ id }] = data;
  expect((await cloud.admin.get(`/v1/users/${id}/sessions`)).data, 'sessions of no browser').toEqual([]);

  await addPerson(cloud, 'Editor');
  expect(await ensure()).toBe(true);
  const other = await addPerson(cloud, 'Admin');
  expect(await ensure()).toBe(false);
  await cloud.admin.patch(`/v1/users/${other.id}`, { disabled: true });
  expect(await ensure(), 'the other Admin is disabled').toBe(true);
  await cloud.admin.patch(`/v1/users/${other.id}`, { disabled: false });
  await cloud.admin.delete(`/v1/users/${id}`);
  expect(await ensure(), 'removed').toBe(false);
});
