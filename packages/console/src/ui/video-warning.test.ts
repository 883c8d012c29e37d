import { expect, test } from 'vitest';
import { english } from '../i18n/english.ts';
import { describeWarning } from './video-warning.ts';

const CONCERN = {
  message: 'As the cloud says it.',
  video: { codec: 'hevc', bit_depth: 8, width: 3840, height: 2160, frame_rate: 30 },
  device_count: 3,
  devices: [{ id: 'dev_1', name: 'Window' }],
};

test('a warning about videos names some of the screens, and how many more there are', () => {
  const cannot = describeWarning({ ...CONCERN, code: 'SCREENS_CANNOT_DECODE' }, english);
  expect(cannot).toMatch(/: Window .*2/);
  expect(describeWarning({ ...CONCERN, code: 'SCREENS_NOT_SMOOTH' }, english)).not.toBe(cannot);
});

test('a warning with another code, of a newer cloud, is shown as the cloud says it', () => {
  expect(describeWarning({ ...CONCERN, code: 'SCREENS_TOO_LOUD' }, english)).toBe(CONCERN.message);
  expect(describeWarning({ ...CONCERN }, english)).toBe(CONCERN.message);
  expect(describeWarning({ message: 'Nothing to play.', code: 'OTHER' }, english)).toBe('Nothing to play.');
});
