import type { Data, VideoWarning } from '@placard/client';
import { videoName } from '../ui/video-name.ts';
import type { PlaylistTexts } from './texts/english.ts';

/** A warning of a deployment, which may be about something else. */
type Warning = Data<'deployPlaylist'>['warnings'][number];

/** What a warning says in the language of the person; one that is not about videos as the cloud says it. */
export function describeWarning(warning: Warning, texts: PlaylistTexts): string {
  const { code, message, video, device_count: count, devices } = warning;
  if (video === undefined || count === undefined || devices === undefined) {
    return message;
  }
  const says = code === 'SCREENS_CANNOT_DECODE' ? texts.cannotDecode : texts.notSmooth;
  const names = devices.map(({ name }) => name).join(', ');
  const rest = count - devices.length;
  return `${says(count, videoName(video))}: ${names}${rest > 0 ? ` ${texts.moreScreens(rest)}` : ''}`;
}

/** What is said of each content. */
export const warningsByContent = (
  warnings: readonly VideoWarning[],
  texts: PlaylistTexts,
): ReadonlyMap<string, readonly string[]> => {
  const byContent = new Map<string, string[]>();
  for (const warning of warnings) {
    for (const { id } of warning.content) {
      byContent.set(id, [...(byContent.get(id) ?? []), describeWarning(warning, texts)]);
    }
  }
  return byContent;
};
