import type { VideoWarning } from '@placard/client';
import type { Messages } from '../i18n/english.ts';
import { describeWarning } from '../ui/video-warning.ts';

/** What is said of each content. */
export const warningsByContent = (
  warnings: readonly VideoWarning[],
  messages: Messages,
): ReadonlyMap<string, readonly string[]> => {
  const byContent = new Map<string, string[]>();
  for (const warning of warnings) {
    for (const { id } of warning.content) {
      byContent.set(id, [...(byContent.get(id) ?? []), describeWarning(warning, messages)]);
    }
  }
  return byContent;
};
