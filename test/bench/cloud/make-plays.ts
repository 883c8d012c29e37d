import { randomBytes } from 'node:crypto';
import { makeId } from '@placard/protocol';
import { buildPlay } from '../../../packages/cloud/test/trials/support/paired-device.ts';

const CONTENT_ID = 'asset_01kzgm8q2c7d0vqk3m4a5b6c7d';

/** The last plays of a device, of ten seconds each. */
export function makePlays(count: number): ReturnType<typeof buildPlay>[] {
  const nowMs = Date.now();
  return Array.from({ length: count }, (_, index) =>
    buildPlay(makeId('play', nowMs, randomBytes(16)), CONTENT_ID, nowMs - (count - index) * 10_000),
  );
}
