import { useEffect, useState } from 'react';
import { placard } from '../api/placard.ts';
import { useWhileLooking } from './while-looking.ts';
import type { Looking } from './while-looking.ts';

/** Between two pictures. */
const INTERVAL_MS = 1_000;

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
  }, INTERVAL_MS);
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
