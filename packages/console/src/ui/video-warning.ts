import type { Data } from '@placard/client';
import type { Messages } from '../i18n/english.ts';
import { videoName } from './video-name.ts';

/** A warning of a deployment or of a rule, which may be about something else than videos. */
export type Warning = Pick<
  Data<'deployPlaylist'>['warnings'][number],
  'message' | 'video' | 'device_count' | 'devices' | 'content'
> & { code?: string };

/** What a warning says in the language of the person; one with a code that is not known here as the cloud says it. */
export function describeWarning(warning: Warning, messages: Messages): string {
  const { code, message, video, device_count: count, devices } = warning;
  const says = new Map([
    ['SCREENS_CANNOT_DECODE', messages.screensCannotDecode],
    ['SCREENS_NOT_SMOOTH', messages.screensNotSmooth],
  ]).get(code ?? '');
  if (!says || video === undefined || count === undefined || devices === undefined) {
    return message;
  }
  const names = devices.map(({ name }) => name).join(', ');
  const rest = count - devices.length;
  return `${says(count, videoName(video))}: ${names}${rest > 0 ? ` ${messages.moreScreens(rest)}` : ''}`;
}
