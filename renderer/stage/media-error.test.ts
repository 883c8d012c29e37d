import { expect, test } from 'vitest';
import { describeMediaError } from './media-error.ts';

test.each([
  [3, 'PIPELINE_ERROR_DECODE: video decode error!', 'decode_failed'],
  [4, 'DEMUXER_ERROR_COULD_NOT_OPEN: FFmpegDemuxer: open context failed', 'decode_failed'],
  [4, 'DEMUXER_ERROR_NO_SUPPORTED_STREAMS: FFmpegDemuxer: no supported streams', 'unsupported'],
  [4, '', 'unsupported'],
  [2, 'PIPELINE_ERROR_READ: FFmpegDemuxer: data source error', 'not_found'],
])('maps media error %i "%s" to %s', (code, message, reason) => {
  expect(describeMediaError(code, message)).toEqual({ reason, detail: message || `media error ${code}` });
});
