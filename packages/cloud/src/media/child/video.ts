import type { InputVideoTrack } from 'mediabunny';
import { errorMessage } from '../../domain/error-details.ts';
import type { MediaFormat } from '../../domain/media-formats.ts';
import { isCutOff } from './cut-off.ts';
import { explainCodec } from './explain-codec.ts';
import { rejectFile } from './inspection-result.ts';
import type { ReportInfo, InspectionResult } from './inspection-result.ts';
import { rejectTooManyPixels } from './pixels.ts';
import { findKeyPacket, makeVideoThumbnail } from './video-thumbnail.ts';

const CODECS: Record<string, readonly string[]> = {
  mp4: ['avc', 'hevc', 'av1'],
  mov: ['avc', 'hevc', 'av1'],
  webm: ['vp8', 'vp9', 'av1'],
};
/** Relative position of the thumbnail: the first frame is often black. */
const THUMBNAIL_POSITION = 0.1;
/** Frames whose times are read for the frame rate: two seconds or more. */
const FRAMES_READ = 120;
const MAX_FRAME_RATE = 1000;
const EXPORT_AGAIN = 'Export it again as MP4 with H.264.';

export async function inspectVideo(
  path: string,
  format: MediaFormat,
  reportInfo: ReportInfo,
): Promise<InspectionResult> {
  // Loading it takes longer than all of an image: loaded for videos only.
  const { ALL_FORMATS, FilePathSource, Input } = await import('mediabunny');
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS });
  try {
    const track = await input.getPrimaryVideoTrack();
    if (!track) {
      return (await input.getPrimaryAudioTrack())
        ? rejectFile('no_picture', 'The file has sound but no picture. Send a video or a picture.')
        : rejectFile(
            'no_picture',
            'The file is incomplete or damaged: it has no picture. Copy or export it again.',
          );
    }
    const codec = await track.getCodec();
    const problem = await explainCodec(track, CODECS[format]?.includes(codec ?? '') ?? false);
    if (problem) {
      return rejectFile('unsupported_codec', problem);
    }
    const [width, height, durationSeconds] = [
      await track.getDisplayWidth(),
      await track.getDisplayHeight(),
      await track.computeDuration(),
    ];
    if (!(width > 0 && height > 0 && durationSeconds > 0)) {
      return rejectFile('no_picture', `The video is 0 seconds long or has no picture. ${EXPORT_AGAIN}`);
    }
    const tooMany =
      rejectTooManyPixels(width, height) ??
      rejectTooManyPixels(await track.getCodedWidth(), await track.getCodedHeight());
    if (tooMany) {
      return tooMany;
    }
    if (await isCutOff(path, track)) {
      return rejectFile(
        'undecodable',
        'The video is incomplete: its end is missing. Copy or export it again.',
      );
    }
    const packet = await findKeyPacket(track, durationSeconds * THUMBNAIL_POSITION);
    if (!packet) {
      return rejectFile('no_picture', `No frame of the video can be shown by itself. ${EXPORT_AGAIN}`);
    }
    // Containers store at most milliseconds; the rest is rounding noise.
    const rounded = Math.max(0.001, Math.round(durationSeconds * 1000) / 1000);
    reportInfo({
      format,
      type: 'video',
      width,
      height,
      durationSeconds: rounded,
      codec: (await track.getCodecParameterString())?.slice(0, 100) ?? null,
      frameRate: await readFrameRate(track),
    });
    const found = await makeVideoThumbnail(track, packet);
    if (found === 'undecodable') {
      return rejectFile(
        'undecodable',
        `The video is damaged: none of its frames can be decoded. ${EXPORT_AGAIN}`,
      );
    }
    if (found === 'no_decoder') {
      return { type: 'done', thumbnail: null, thumbnailFault: null };
    }
    return Buffer.isBuffer(found)
      ? { type: 'done', thumbnail: found.toString('base64'), thumbnailFault: null }
      : found;
  } catch (error) {
    return rejectFile(
      'undecodable',
      `The video is damaged or unusual and cannot be read. ${EXPORT_AGAIN} (${errorMessage(error)})`,
    );
  } finally {
    input.dispose();
  }
}

/** Frames per second, to thousandths; null when the times of the frames tell none. */
async function readFrameRate(track: InputVideoTrack): Promise<number | null> {
  const rate = await track.computePacketStats(FRAMES_READ).then(
    ({ averagePacketRate }) => averagePacketRate,
    () => 0,
  );
  return rate > 0 && rate <= MAX_FRAME_RATE ? Math.round(rate * 1000) / 1000 || null : null;
}
