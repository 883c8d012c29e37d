import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { makeProfile } from './make-profile.ts';

function folder() {
  const parent = tempDir();
  const profile = join(parent, 'browser');
  return { profile, preferences: join(profile, 'Default/Preferences') };
}

test('a new profile uses the theme of the environment and is private', async () => {
  const { profile, preferences } = folder();
  await makeProfile(profile, { GTK_THEME: 'placard' });
  expect(JSON.parse(readFileSync(preferences, 'utf8'))).toEqual({
    extensions: { theme: { system_theme: 1 } },
  });
  expect(statSync(profile).mode & 0o077).toBe(0);
});

test("leaves the browser's own preferences unchanged", async () => {
  const { profile, preferences } = folder();
  await makeProfile(profile, { GTK_THEME: 'placard' });
  writeFileSync(preferences, 'of the browser');
  await makeProfile(profile, { GTK_THEME: 'placard' });
  expect(readFileSync(preferences, 'utf8')).toBe('of the browser');
});

test('without a theme in the environment the browser decides', async () => {
  const { profile, preferences } = folder();
  await makeProfile(profile, {});
  expect(existsSync(profile)).toBe(true);
  expect(existsSync(preferences)).toBe(false);
});
