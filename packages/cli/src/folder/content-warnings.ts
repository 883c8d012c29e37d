import { PlacardError } from '@placard/client';
import type { VideoWarning } from '@placard/client';
import { noteWarnings } from '../output/warnings.ts';
import type { Session } from '../session.ts';

/** Warns of screens that show content and cannot play its file; returns the warnings. Clouds of earlier versions have none. */
export async function warnOfContent(
  { placard, out, signal }: Session,
  contentId: string,
): Promise<VideoWarning[]> {
  try {
    const warnings = await placard.content.listWarnings(contentId, { signal });
    noteWarnings(out, warnings);
    return warnings;
  } catch (error) {
    if (error instanceof PlacardError && error.code === 'ROUTE_NOT_FOUND') {
      return [];
    }
    throw error;
  }
}
