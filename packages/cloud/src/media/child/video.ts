import { ALL_FORMATS, FilePathSource, Input } from 'mediabunny';
import { messageOf } from '../../domain/error-facts.ts';
import type { Format } from '../../domain/formats.ts';
import { refused } from './verdict.ts';
import type { TellFacts, Verdict } from './verdict.ts';
import { tooManyPixels } from './pixels.ts';
import { keyPacket, thumbnailOf } from './poster.ts';

const CODECS: Record<string, readonly string[]> = {
  mp4: ['avc', 'hevc', 'av1'],
  mov: ['avc', 'hevc', 'av1'],
  webm: ['vp8', 'vp9', 'av1'],
};
/** The part of a video after which its small picture is taken: the first one is often black. */
const POSTER_AT = 0.1;

export async function inspectVideo(path: string, format: Format, tellFacts: TellFacts): Promise<Verdict> {
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS });
  try {
    const track = await input.getPrimaryVideoTrack();
    if (!track) return refused('no_picture', 'The file has no video track.');
    const codec = await track.getCodec();
    if (codec === null || !CODECS[format]?.includes(codec))
      return refused(
        'unsupported_codec',
        `The video is coded as ${codec ?? 'something unknown'}; send H.264, HEVC or AV1 in MP4, or VP8, VP9 or AV1 in WebM.`,
      );
    const [width, height, durationSeconds] = [
      await track.getDisplayWidth(),
      await track.getDisplayHeight(),
      await track.computeDuration(),
    ];
    if (!(width > 0 && height > 0 && durationSeconds > 0))
      return refused('no_picture', 'The video has no picture.');
    const tooMany =
      tooManyPixels(width, height) ??
      tooManyPixels(await track.getCodedWidth(), await track.getCodedHeight());
    if (tooMany) return tooMany;
    const packet = await keyPacket(track, durationSeconds * POSTER_AT);
    if (!packet) return refused('no_picture', 'The video has no whole picture to begin with.');
    // Containers keep thousandths at best; what is beyond is rounding noise.
    const rounded = Math.max(0.001, Math.round(durationSeconds * 1000) / 1000);
    tellFacts({ format, type: 'video', width, height, durationSeconds: rounded });
    const found = await thumbnailOf(track, packet);
    if (found === 'undecodable')
      return refused('undecodable', 'The video cannot be decoded: none of its pictures could be read.');
    if (found === 'no_decoder') return { type: 'done', thumbnail: null, thumbnailFault: null };
    return Buffer.isBuffer(found)
      ? { type: 'done', thumbnail: found.toString('base64'), thumbnailFault: null }
      : found;
  } catch (error) {
    return refused('undecodable', `The video cannot be read: ${messageOf(error)}`);
  } finally {
    input.dispose();
  }
}
