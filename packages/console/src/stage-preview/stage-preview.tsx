import { useEffect, useRef } from 'react';
import { createStage } from '../../../../renderer/stage/stage.ts';
import type { DisplayOptions } from '../../../../renderer/stage/display-options.ts';
import '../../../../renderer/stage/stage.css';
import './stage-preview.css';

/** What is shown in a preview. */
export interface PreviewItem {
  readonly key: string;
  readonly kind: 'image' | 'video';
  readonly url: string;
  /** Seconds; null plays a video to its end. */
  readonly duration: number | null;
}

/**
 * The stage of the player inside a page: the same code, styles and transitions as on a screen. It shows the items that
 * `next` gives, one after the other, until it is removed; another `next` begins again. It has no sound.
 */
export function StagePreview({
  next,
  fit,
  background,
  fadeMs = 0,
  label,
  onShown,
  onFailed,
}: {
  /** The item with this number, counted from 0; null when there is none. */
  next: (number: number) => PreviewItem | null;
  fit: DisplayOptions['fit'];
  background: DisplayOptions['background'];
  fadeMs?: number;
  label: string;
  /** An item is on the stage. */
  onShown: (key: string) => void;
  /** An item could not be shown; the next one follows. */
  onFailed: (key: string, detail: string) => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const stage = useRef<ReturnType<typeof createStage> | null>(null);
  const callbacks = useRef({ onShown, onFailed });
  callbacks.current = { onShown, onFailed };
  useEffect(() => {
    const parent = document.createElement('div');
    parent.className = 'stage-preview-stage';
    frame.current?.append(parent);
    const player = playItems(parent, next, callbacks);
    stage.current = player.stage;
    return () => {
      stage.current = null;
      player.stop();
      parent.remove();
    };
  }, [next]);
  useEffect(() => {
    stage.current?.configure({ fit, background, fadeMs });
  }, [next, fit, background, fadeMs]);
  return <div ref={frame} role="img" aria-label={label} className="stage-preview" />;
}

/** Failures in a row after which it stops: nothing can be shown. */
const MOST_FAILURES = 20;

function playItems(
  parent: HTMLElement,
  next: (number: number) => PreviewItem | null,
  callbacks: { current: { onShown: (key: string) => void; onFailed: (key: string, detail: string) => void } },
) {
  let count = 0;
  let failures = 0;
  let isStopped = false;
  /** Keys of the items that are on the stage or prepared, by the id of their showing. */
  const keys = new Map<string, string>();
  const stage = createStage({
    parent,
    onPictureChange: () => {},
    // A page of the console stays as it is.
    replacePage: () => {},
    onEvent(event) {
      const key = keys.get(event.showing_id) ?? '';
      if (isStopped) {
        return;
      }
      if (event.type === 'started') {
        failures = 0;
        callbacks.current.onShown(key);
        prepareNext('after_current');
      } else if (event.type === 'failed') {
        callbacks.current.onFailed(key, event.detail);
        failures += 1;
        if (failures < MOST_FAILURES) {
          prepareNext(stage.current() === null ? 'when_ready' : 'after_current');
        }
      } else if (event.type === 'ended') {
        keys.delete(event.showing_id);
      }
    },
  });
  for (const video of parent.querySelectorAll('video')) {
    video.volume = 0;
  }

  function prepareNext(cut: 'when_ready' | 'after_current'): void {
    const item = next(count);
    if (item === null) {
      return;
    }
    const id = `preview-${count}`;
    count += 1;
    keys.set(id, item.key);
    const durationMs = item.duration === null ? null : item.duration * 1000;
    stage.prepare({ id, kind: item.kind, url: item.url, duration_ms: durationMs, video_end_ms: null }, cut);
  }

  prepareNext('when_ready');
  return {
    stage,
    stop() {
      isStopped = true;
      stage.clear();
    },
  };
}
