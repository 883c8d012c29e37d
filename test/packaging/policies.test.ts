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

test('the browser of a box may open the page of its player and nothing else', () => {
  expect(policies.URLAllowlist).toEqual(['http://127.0.0.1']);
  expect(policies.URLBlocklist).toEqual(
    expect.arrayContaining(['http://*', 'https://*', 'file://*', 'chrome://*', 'view-source:*']),
  );
});

test('the policies leave the debugging pipe to the player', () => {
  // Either of them would shut the player out of its own browser, as was seen with Chromium 156.
  expect(Object.keys(policies)).not.toContain('DeveloperToolsAvailability');
  expect(Object.keys(policies)).not.toContain('RemoteDebuggingAllowed');
});
