import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { panelSize } from './panel-size.ts';

function drm(connectors: Record<string, { status: string; modes: string }>): string {
  const folder = tempDir();
  mkdirSync(join(folder, 'card0'));
  for (const [name, files] of Object.entries(connectors)) {
    mkdirSync(join(folder, name));
    for (const [file, text] of Object.entries(files)) {
      writeFileSync(join(folder, name, file), `${text}\n`);
    }
  }
  return folder;
}

test('is the preferred mode of the connected screen', () => {
  const folder = drm({
    'card0-DP-1': { status: 'disconnected', modes: '' },
    'card0-HDMI-A-1': { status: 'connected', modes: '1920x1080\n1280x720' },
  });
  expect(panelSize(folder)).toEqual({ width: 1920, height: 1080 });
});

test('is unknown without a screen, without modes and on other systems', () => {
  expect(panelSize(drm({ 'card0-DP-1': { status: 'disconnected', modes: '' } }))).toBeNull();
  expect(panelSize(drm({ 'card0-DP-1': { status: 'connected', modes: '' } }))).toBeNull();
  expect(panelSize('/nowhere')).toBeNull();
});
