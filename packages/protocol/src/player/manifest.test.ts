import { expect, test } from 'vitest';
import { DEFAULT_DISPLAY } from '../display-options.ts';
import { manifest } from './manifest.ts';

const device = { id: 'dev_1', name: 'Lobby', orientation: 'landscape' };
const withDevice = (more: object) => ({
  revision: 'r1',
  organization: { timezone: 'UTC' },
  device: { ...device, ...more },
  base_playlist_id: null,
  schedules: [],
  playlists: [],
  assets: [],
});

test('a manifest of an older cloud, without display settings and PIN, gets the defaults', () => {
  expect(manifest.parse(withDevice({})).device).toEqual({
    ...device,
    display: DEFAULT_DISPLAY,
    menu_pin_hash: null,
  });
});

test('an unknown display setting does not invalidate the manifest', () => {
  const display = { fit: 'mosaic', ground: 'blurred', fade_ms: 300, language: 'it', contrast: 'high' };
  expect(manifest.parse(withDevice({ display })).device.display).toEqual({
    fit: 'contain',
    ground: 'blurred',
    fade_ms: 300,
    language: 'en',
  });
});
