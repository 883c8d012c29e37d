import { useEffect, useRef, useState } from 'react';
import { mayPass } from './live-problem.ts';

/** Who has not clicked or typed anything for this long is asked whether to go on. */
const IDLE_MS = 5 * 60_000;
/** After so many failures in a row it ends. */
const MAX_FAILURES = 3;

export interface Looking {
  /** `paused`: nobody has clicked for a while. */
  state: 'off' | 'on' | 'paused';
  /** Why it ended. */
  error: unknown;
  start: () => void;
  stop: () => void;
}

/**
 * Repeats `ask` while somebody looks: again as soon as it has resolved, at most once in the interval, only while the page is
 * visible.
 * Ends by itself when nobody has clicked for five minutes, when the component is gone, and when it fails: at once, or after three
 * times in a row where the next one may succeed.
 */
export function useWhileLooking(ask: (signal: AbortSignal) => Promise<void>, intervalMs: number): Looking {
  const [state, setState] = useState<Looking['state']>('off');
  const [error, setError] = useState<unknown>(null);
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });
  const isOn = state === 'on';
  useEffect(() => {
    if (!isOn) {
      return undefined;
    }
    const leaving = new AbortController();
    const { signal } = leaving;
    let activeMs = performance.now();
    const noteActivity = () => {
      activeMs = performance.now();
    };
    document.addEventListener('pointerdown', noteActivity, { signal });
    document.addEventListener('keydown', noteActivity, { signal });

    let failures = 0;
    const askOnce = async () => {
      try {
        await latest.current(signal);
        failures = 0;
      } catch (reason) {
        failures += 1;
        if (failures === MAX_FAILURES || !mayPass(reason)) {
          throw reason;
        }
      }
    };
    const repeat = async () => {
      while (!signal.aborted) {
        await untilVisible(signal);
        if (performance.now() - activeMs >= IDLE_MS) {
          setState('paused');
          return;
        }
        const beganMs = performance.now();
        await askOnce();
        await sleep(beganMs + intervalMs - performance.now(), signal);
      }
    };
    void repeat().catch((reason: unknown) => {
      if (!signal.aborted) {
        setError(reason);
        setState('off');
      }
    });
    return () => leaving.abort();
  }, [isOn, intervalMs]);
  return {
    state,
    error,
    start() {
      setError(null);
      setState('on');
    },
    stop: () => setState('off'),
  };
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, ms));
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (document.visibilityState === 'visible' || signal.aborted) {
      resolve();
      return;
    }
    document.addEventListener('visibilitychange', () => resolve(), { once: true, signal });
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
