import { PlacardError } from '@placard/client';
import { useEffect, useState } from 'react';
import { placard } from '../api/placard.ts';
import type { DeviceTexts } from './texts/english.ts';
import { useWhileLooking } from './while-looking.ts';
import type { Looking } from './while-looking.ts';

interface LivePicture {
  /** Of the last picture, for an `<img>`. */
  url: string;
  atMs: number;
}

/** What a screen shows, about once a second, while somebody looks. */
export function useLivePicture(deviceId: string): Looking & { picture: LivePicture | null } {
  const [picture, setPicture] = useState<LivePicture | null>(null);
  const looking = useWhileLooking(async (signal) => {
    const response = await placard.devices.takeLivePicture(deviceId, { signal });
    const blob = await response.blob();
    setPicture({ url: URL.createObjectURL(blob), atMs: Date.now() });
  });
  // The page has the one before until the next one is drawn.
  useEffect(() => () => void (picture && URL.revokeObjectURL(picture.url)), [picture]);
  return {
    ...looking,
    picture,
    start() {
      setPicture(null);
      looking.start();
    },
  };
}

/** Why there is no live picture, in the language of the person; null: the sentence of the API says it. */
export function liveProblemOf(error: unknown, texts: DeviceTexts): string | null {
  if (!(error instanceof PlacardError) || error.code !== 'NO_LIVE_ANSWER') {
    return null;
  }
  const { details } = error;
  const field = (name: string): unknown =>
    typeof details === 'object' && details !== null ? Reflect.get(details, name) : undefined;
  const [reason, problem] = [field('reason'), field('problem')];
  switch (reason) {
    case 'offline':
    case 'no_socket':
    case 'player_too_old':
    case 'no_answer':
      return texts.liveProblem[reason];
    case 'failed':
      return texts.screenshotFailed(typeof problem === 'string' ? problem : '');
    default:
      return null;
  }
}
