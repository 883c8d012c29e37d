import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ALL_FORMATS,
  BufferSource,
  BufferTarget,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { expect, test, vi } from 'vitest';
import { corpusBytes } from '../../../../../test/corpus/corpus.ts';
import { findDifferences, HDR_FILES, PATTERN_OF_HLG } from '../../../test/support/hdr-files.ts';
import { openMediaFolder } from '../../../test/support/renditions.ts';

// Low-priority processes are slow on a busy machine.
vi.setConfig({ testTimeout: 600_000 });

const usual = openMediaFolder();
const withoutDecoder = openMediaFolder({ useDecoder: false });

async function thumbnailOf(bytes: Buffer, { mediaDir, inspector } = usual): Promise<Sharp> {
  const path = join(mediaDir, 'video');
  await writeFile(path, bytes);
  const found = await inspector.inspect(path, 'key');
  if ('reason' in found || !found.thumbnail) {
    throw new Error(`no thumbnail: ${'reason' in found ? found.message : found.thumbnailFault}`);
  }
  return sharp(found.thumbnail);
}

test.each(HDR_FILES)(
  '%s is in HDR: its thumbnail has the colours on screens without',
  async (name, pattern) => {
    expect(await findDifferences(await thumbnailOf(await corpusBytes(name)), pattern)).toEqual([]);
  },
);

/** A video in AV1 that only its container tells to be in HDR. */
async function toldAsHlg(bytes: Buffer): Promise<Buffer> {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const track = await input.getPrimaryVideoTrack();
  const decoderConfig = await track?.getDecoderConfig();
  if (!track || !decoderConfig) {
    throw new Error('the file has no pictures');
  }
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat(), target });
  const pictures = new EncodedVideoPacketSource('av1');
  output.addVideoTrack(pictures);
  await output.start();
  const colorSpace = {
    transfer: 'hlg',
    primaries: 'bt2020',
    matrix: 'bt2020-ncl',
    fullRange: false,
  } as const;
  for await (const packet of new EncodedPacketSink(track).packets()) {
    await pictures.add(packet, { decoderConfig: { ...decoderConfig, colorSpace } });
  }
  await output.finalize();
  input.dispose();
  return Buffer.from(target.buffer ?? new ArrayBuffer());
}

test('a video in AV1, of which libvips makes thumbnails, has the colours as well; without a decoder it is pale', async () => {
  const bytes = await toldAsHlg(await corpusBytes('av1-10-bit.mp4'));
  expect(await findDifferences(await thumbnailOf(bytes), PATTERN_OF_HLG)).toEqual([]);
  expect(await (await thumbnailOf(bytes, withoutDecoder)).metadata()).toMatchObject({
    format: 'webp',
    width: 160,
  });
});
