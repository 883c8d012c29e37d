import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';

const policies = z
  .object({ URLBlocklist: z.array(z.string()), URLAllowlist: z.array(z.string()) })
  .loose()
  .parse(
    JSON.parse(readFileSync(resolve(import.meta.dirname, '../../build/linux/policies/placard.json'), 'utf8')),
  );

test('the browser may only open the page of the player', () => {
  expect(policies.URLAllowlist).toEqual(['http://127.0.0.1']);
  expect(policies.URLBlocklist).toEqual(
    expect.arrayContaining(['http://*', 'https://*', 'file://*', 'chrome://*', 'view-source:*']),
  );
});

test('the policies allow the player to use the debugging pipe', () => {
  // Either of them would block the player from its own browser, as seen with Chromium 156.
  expect(Object.keys(policies)).not.toContain('DeveloperToolsAvailability');
  expect(Object.keys(policies)).not.toContain('RemoteDebuggingAllowed');
});

test('nobody ends the page in the task manager of the browser', () => {
  expect(policies).toMatchObject({ TaskManagerEndProcessEnabled: false });
});
