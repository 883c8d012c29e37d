import { decide } from './decide.ts';
import { assetsOf, type Programme } from './programme.ts';
import { takeReport } from './report.ts';
import type { Current, PlaybackEffect, PlaybackEvent, PlaybackNow, PlaybackState } from './state.ts';

/**
 * The playback machine. It keeps one showing prepared ahead of the one on the screen, follows the schedule at
 * its boundaries, passes over what cannot be shown, and never takes a picture down without the next one ready.
 */
export function stepPlayback(
  state: PlaybackState,
  event: PlaybackEvent,
  now: PlaybackNow,
): [PlaybackState, PlaybackEffect[]] {
  const [taken, effects] = take(state, event, now);
  const [decided, more] = decide(taken, now);
  return [decided, [...effects, ...more]];
}

function take(
  state: PlaybackState,
  event: PlaybackEvent,
  now: PlaybackNow,
): [PlaybackState, PlaybackEffect[]] {
  switch (event.kind) {
    case 'tick':
      return [state, []];
    case 'beat':
      return [{ ...state, aliveMs: now.wallMs }, []];
    case 'programme':
      return [
        {
          ...state,
          programme: event.programme,
          deviceId: event.deviceId,
          active: null,
          failures: ofProgramme(state.failures, event.programme),
        },
        [],
      ];
    case 'media':
      return [{ ...state, media: event.held, failures: withoutHealed(state, event.held) }, []];
    case 'curtain':
      return [{ ...state, curtainUntilMono: event.untilMono }, []];
    case 'images_only':
      return [{ ...state, imagesOnly: event.on }, []];
    case 'page_gone':
      return [{ ...state, page: false }, []];
    case 'stage':
      return takeReport(state, event.report, now);
  }
  return event satisfies never;
}

/** The wall clock was set: what it had guessed before is dated anew. With `right` it is no guess any more. */
export function redate(state: PlaybackState, byMs: number, right: boolean): PlaybackState {
  const move = (play: Current | null) =>
    play?.guessed ? { ...play, startedAtMs: play.startedAtMs + byMs, guessed: !right } : play;
  return {
    ...state,
    aliveMs: state.aliveMs + byMs,
    current: move(state.current),
    leaving: move(state.leaving),
  };
}

/** Something is on the stage, or will be as soon as a page is there. */
export function isFilled({ picture, prepared, page, programme, active, media }: PlaybackState): boolean {
  if (picture || prepared) return true;
  if (page || !programme || !active) return false;
  return assetsOf(programme, active.playlistId).some((asset) => media.has(asset.sha256));
}

/** What is not to be shown any more is no fault any more. */
function ofProgramme(
  failures: PlaybackState['failures'],
  programme: Programme | null,
): PlaybackState['failures'] {
  const named = new Set(programme?.manifest.assets.map((asset) => asset.sha256));
  return Object.fromEntries(Object.entries(failures).filter(([sha256]) => named.has(sha256)));
}

/** Bytes that have just arrived deserve a try at once, whatever the ones before them did. */
function withoutHealed(state: PlaybackState, held: ReadonlySet<string>): PlaybackState['failures'] {
  const kept = Object.entries(state.failures).filter(
    ([sha256]) => state.media.has(sha256) || !held.has(sha256),
  );
  return kept.length === Object.keys(state.failures).length ? state.failures : Object.fromEntries(kept);
}
