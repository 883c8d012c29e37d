import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pictures } from './pictures.ts';
import { changed, picture, run, still, tone, video } from './tools.ts';
import type { Recipe } from './tools.ts';

const H264 = '-c:v libx264 -crf 32 -pix_fmt yuv420p';
const MP4 = { ending: 'mp4', recipe: video({}, H264) };
const sound =
  (options: string): Recipe =>
  (path) =>
    run('ffmpeg', [...`-y -loglevel error ${tone(1)} ${options}`.split(' '), path]);

/** The first part of a file, as when copying it was interrupted. */
const firstPart = (part: number, source: { ending: string; recipe: Recipe }): Recipe =>
  changed(source, (bytes) => bytes.subarray(0, Math.floor(bytes.length * part)));
/** Sets the duration of the only frame to zero. */
function withoutDuration(mp4: Buffer): Buffer {
  const entry = mp4.indexOf('stts') + 12;
  return mp4.fill(0, entry + 4, entry + 8);
}
const file =
  (content: string | Buffer): Recipe =>
  (path) =>
    writeFile(path, content);

/** A PDF with one page, as layout programs export it. */
const PDF = [
  '%PDF-1.4',
  '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
  '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
  '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj',
  'trailer<</Root 1 0 R>>',
  '%%EOF\n',
].join('\n');
const SVG =
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="90"><rect width="160" height="90" fill="#d02020"/></svg>\n';
const WEB_PAGE =
  '<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>You have to sign in to download this file.</body></html>\n';

/** The parts of a presentation that tell what it is. */
async function presentation(path: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'placard-corpus-'));
  const content = 'application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml';
  const types = `<Types><Override PartName="/ppt/presentation.xml" ContentType="${content}"/></Types>`;
  await mkdir(join(folder, 'ppt'));
  await writeFile(join(folder, '[Content_Types].xml'), types);
  await writeFile(join(folder, 'ppt/presentation.xml'), '<presentation/>');
  await rm(path, { force: true });
  await run('zip', ['-X', path, '[Content_Types].xml', 'ppt/presentation.xml'], [], folder);
  await rm(folder, { recursive: true });
}

/** What is no picture or video for a screen, or a damaged one. */
export const others: Readonly<Record<string, Recipe>> = {
  // Videos in other containers
  'download.mkv': video({}, H264),
  'camcorder.m2ts': video({}, `${tone(1)} ${H264} -c:a ac3 -b:a 32k -f mpegts`),
  'dvd.mpg': video({ width: 176, height: 144 }, '-c:v mpeg2video -b:v 60k -f dvd'),
  'presentation.wmv': video({}, `${tone(1)} -c:v wmv2 -b:v 60k -c:a wmav2 -b:a 24k`),
  'camera-mjpeg.avi': video({ fps: 5 }, '-c:v mjpeg -q:v 20 -pix_fmt yuvj420p'),
  'old-phone.3gp': video({ width: 176, height: 144, fps: 15 }, '-c:v h263 -b:v 40k'),
  'banner.flv': video({}, '-c:v flv -b:v 60k'),
  'wiki.ogv': video({}, '-c:v libtheora -q:v 2'),
  // Codecs that no browser decodes, or that are not accepted in this container
  'edit-prores.mov': video({ fps: 5 }, '-c:v prores_ks -profile:v 0 -qscale:v 31'),
  'edit-dnxhr.mov': video(
    { fps: 2, width: 256, height: 144 },
    '-c:v dnxhd -profile:v dnxhr_lb -pix_fmt yuv422p',
  ),
  'title-animation.mov': video({ fps: 5 }, '-c:v qtrle'),
  'video-site-vp9.mp4': video({}, '-c:v libvpx-vp9 -crf 50 -b:v 0 -deadline realtime'),
  'old-divx.mp4': video({}, '-c:v mpeg4 -b:v 60k'),
  // Damaged or without a picture
  'cut-off.mp4': firstPart(0.6, {
    ending: 'mp4',
    recipe: video({ seconds: 4 }, `${tone(4)} ${H264} -c:a aac -b:a 24k -movflags +faststart`),
  }),
  'cut-off-without-index.mp4': firstPart(0.6, MP4),
  'cut-off.webm': firstPart(0.6, {
    ending: 'webm',
    recipe: video({ seconds: 4 }, '-c:v libvpx -b:v 40k -deadline realtime -cluster_time_limit 500'),
  }),
  'cut-off.jpg': firstPart(0.6, {
    ending: 'jpg',
    recipe: picture(() => still({ width: 640, height: 360 }).jpeg()),
  }),
  'cut-off.png': firstPart(0.6, {
    ending: 'png',
    recipe: picture(() => still({ width: 640, height: 360 }).png()),
  }),
  'cut-off.gif': firstPart(0.8, { ending: 'gif', recipe: pictures['animated.gif']! }),
  'sound-only.mp4': sound('-c:a aac -b:a 24k'),
  'song.mp3': sound('-c:a libmp3lame -b:a 32k'),
  'zero-duration.mp4': changed({ ending: 'mp4', recipe: video({ seconds: 0.04 }, H264) }, withoutDuration),
  'shop-encrypted.mp4': changed(
    {
      ending: 'mp4',
      recipe: video(
        {},
        `${H264} -movflags +frag_keyframe+empty_moov -encryption_scheme cenc-aes-ctr ` +
          '-encryption_key 76a6c65c5ea762046bd749a2e632ccbb -encryption_kid a7e61c373e219033c21091fa607bf3b8',
      ),
    },
    // ffmpeg writes an empty list of samples before the fragments; the programs of shops do not.
    (bytes) => bytes.fill('free', bytes.indexOf('senc'), bytes.indexOf('senc') + 4),
  ),
  'empty.mp4': file(''),
  'notes-renamed.mp4': file('Shot list: 1. the entrance, 2. the counter, 3. the terrace in the evening.\n'),
  'sign-in-page.jpg': file(WEB_PAGE),
  'poster.pdf': file(PDF),
  'menu.pptx': presentation,
  'logo.svg': file(SVG),
  // Right, with a wrong name
  'png-named.jpg': picture(() => still().png()),
};
