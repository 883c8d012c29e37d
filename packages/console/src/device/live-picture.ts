import { useEffect, useState } from 'react';
import { placard } from '../api/placard.ts';
import { useWhileLooking } from './while-looking.ts';
import type { Looking } from './while-looking.ts';

/** Between two pictures. */
const INTERVAL_MS = 1_000;
/** The cloud waits ten seconds for the screen. */
const TIMEOUT_MS = 15_000;

/** What a screen shows, about once a second, while somebody looks; `picture` is for an `<img>`. */
export function useLivePicture(deviceId: string): Looking & { picture: string | null } {
  const [picture, setPicture] = useState<string | null>(null);
  const looking = useWhileLooking(async (leaving) => {
    // Of the body as well. It is repeated anyway.
    const signal = AbortSignal.any([leaving, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await placard.devices.takeLivePicture(deviceId, { signal, retries: 0 });
    const blob = await response.blob();
    signal.throwIfAborted();
    setPicture(URL.createObjectURL(blob));
  }, INTERVAL_MS);
  // The page has the one before until the next one is drawn.
  useEffect(() => () => void (picture !== null && URL.revokeObjectURL(picture)), [picture]);
  return {
    ...looking,
    picture,
    start() {
      setPicture(null);
      looking.start();
    },
  };
}
