import { drawable, lengthOf, pick } from './pick.ts';
import { expectedMs, type PlayDraft } from './plays.ts';
import { activeNow, itemOf, type Active, type Programme } from './programme.ts';
import { failPrepared, leave } from './report.ts';
import type { Current, PlaybackEffect, PlaybackNow, PlaybackState, Prepared } from './state.ts';
import type { Cut, StageOrder } from './stage.ts';

/** The first picture after a rule boundary is made ready this long before it. */
const LEAD_MS = 10_000;
/** Nothing is put on the screen for less than this before a boundary; the last picture stays instead. */
const SHORTEST_MS = 2_000;
/** A page that has not answered for this long will not. */
const PREPARE_TIMEOUT_MS = 60_000;
/** The page tells how long something was on right after the cut, or never. */
const LEAVING_MS = 5_000;
/** The schedule is looked at this often beside its boundaries: clocks are corrected now and then. */
const LOOK_AGAIN_MS = 30_000;

interface Wanted {
  from: Active;
  cut: Cut;
}

type Result = [PlaybackState, PlaybackEffect[]];

/** Looks at the whole state and makes the stage follow it: the one place that decides what comes next. */
export function decide(before: PlaybackState, now: PlaybackNow): Result {
  const effects: PlaybackEffect[] = [];
  let state = ask(before, now);
  if (state.leaving && now.monoMs - (state.current?.startedMono ?? 0) > LEAVING_MS) {
    effects.push(leave(state.leaving, state.current?.startedMono ?? now.monoMs, now));
    state = { ...state, leaving: null };
  }
  if (!state.page) return [state, effects];

  const { programme, active } = state;
  if (!programme || !active?.playlistId) {
    const [cleared, more] = clear(state, now);
    return [cleared, [...effects, ...more]];
  }
  const { prepared } = state;
  if (prepared?.sent && !prepared.ready && now.monoMs - prepared.sinceMono > PREPARE_TIMEOUT_MS) {
    const [failed, more] = failPrepared(state, 'timeout', now);
    effects.push(...more);
    state = failed;
  }
  const [next, more] = prepare(state, programme, active, now);
  return [next, [...effects, ...more]];
}

/** Asks the schedule what is on now, unless the last answer still holds. */
function ask(state: PlaybackState, now: PlaybackNow): PlaybackState {
  if (!state.programme) return { ...state, active: null, starved: false };
  const { active } = state;
  const holds =
    active !== null &&
    now.wallMs >= state.activeAskedMs &&
    now.wallMs - state.activeAskedMs < LOOK_AGAIN_MS &&
    (active.untilMs === null || now.wallMs < active.untilMs);
  return holds
    ? state
    : { ...state, active: activeNow(state.programme, now.wallMs), activeAskedMs: now.wallMs };
}

/** Nothing is scheduled: the stage is emptied, and the idle screen covers it. */
function clear(state: PlaybackState, now: PlaybackNow): Result {
  const effects: PlaybackEffect[] = [];
  if (state.prepared)
    effects.push({ kind: 'unprepared', position: state.programme ? state.prepared.before : null });
  if (state.picture || state.prepared) effects.push({ kind: 'order', order: { type: 'clear' } });
  if (state.current && !state.current.through) {
    effects.push(interrupted(state.current, state.programme ? 'schedule' : 'unpaired', now));
  }
  const positions = state.programme ? rolledBack(state) : {};
  return [
    { ...state, positions, picture: false, current: null, prepared: null, superseded: [], starved: false },
    effects,
  ];
}

const interrupted = (play: Current, reason: string, now: PlaybackNow): PlaybackEffect => ({
  kind: 'ended',
  draft: play.draft,
  startedAtMs: play.startedAtMs,
  guessed: play.guessed,
  end: {
    endedAtMs: Math.max(play.startedAtMs, now.wallMs),
    durationMs: Math.max(0, Math.round(now.monoMs - play.startedMono)),
    outcome: 'interrupted',
    reason,
  },
});

function prepare(state: PlaybackState, programme: Programme, active: Active, now: PlaybackNow): Result {
  const wanted = want(state, programme, active, now);
  const { prepared } = state;
  if (prepared && acceptable(state, programme, prepared.draft, wanted.from)) {
    return keep({ ...state, starved: false }, prepared, wanted, now);
  }
  const rolled = rolledBack(state);
  const picked = pick({ ...state, positions: rolled }, programme, wanted.from, now);
  if (!picked) return starve({ ...state, starved: wanted.from.playlistId === active.playlistId }, now);
  const { draft, position } = picked;
  const playlistId = draft.playlistId;
  const next: Prepared = {
    draft,
    cut: wanted.cut,
    ready: false,
    sent: true,
    sinceMono: now.monoMs,
    before: { playlistId, position: rolled[playlistId] ?? null },
  };
  const effects: PlaybackEffect[] = [];
  if (prepared) effects.push({ kind: 'unprepared', position: prepared.before });
  effects.push({ kind: 'prepared', draft, position: { playlistId, position } });
  effects.push({ kind: 'order', order: prepareOrder(draft, wanted.cut) });
  return [
    {
      ...state,
      positions: { ...rolled, [playlistId]: position },
      prepared: next,
      superseded: prepared
        ? [
            ...state.superseded,
            { draft: prepared.draft, position: state.positions[prepared.draft.playlistId] },
          ]
        : state.superseded,
      starved: false,
    },
    effects,
  ];
}

/**
 * Nothing can be shown that should be. The picture that is up stays up: what the page holds ready for later would not
 * be more right, and waits. Only an empty stage takes it, rather than nothing.
 */
function starve(state: PlaybackState, now: PlaybackNow): Result {
  const { prepared } = state;
  if (!prepared?.sent || !state.starved || !state.picture || prepared.cut === 'on_command')
    return [state, []];
  return tell(state, prepared, 'on_command', now);
}

/** Tells the page about it (again), which has from now on the time that it takes. */
function tell(state: PlaybackState, prepared: Prepared, cut: Cut, now: PlaybackNow): Result {
  const told: Prepared = { ...prepared, cut, sent: true, ready: false, sinceMono: now.monoMs };
  return [{ ...state, prepared: told }, [{ kind: 'order', order: prepareOrder(prepared.draft, cut) }]];
}

/** The prepared one is the right one: told to a new page, or told to cut when its time has come. */
function keep(state: PlaybackState, prepared: Prepared, wanted: Wanted, now: PlaybackNow): Result {
  if (!prepared.sent) return tell(state, prepared, wanted.cut, now);
  // It waited while its playlist was off, and now follows in its turn.
  if (prepared.cut === 'on_command' && wanted.cut === 'after_current') {
    return tell(state, prepared, 'after_current', now);
  }
  if (prepared.cut === wanted.cut || wanted.cut !== 'when_ready') return [state, []];
  return [
    { ...state, prepared: { ...prepared, cut: 'when_ready' } },
    [{ kind: 'order', order: { type: 'cut', showing_id: prepared.draft.id } }],
  ];
}

/** From which playlist the next showing comes, and when it takes over. */
function want(state: PlaybackState, programme: Programme, active: Active, now: PlaybackNow): Wanted {
  const { current } = state;
  const stays =
    current !== null &&
    belongs(programme, current.draft, active) &&
    drawable(state, current.draft.kind) &&
    (shortenedToMono(state) ?? Number.POSITIVE_INFINITY) > now.monoMs;
  if (!stays) {
    const curtained = state.curtainUntilMono !== null && now.monoMs < state.curtainUntilMono;
    return { from: active, cut: curtained ? 'on_command' : 'when_ready' };
  }
  if (active.untilMs !== null && active.untilMs - now.wallMs <= LEAD_MS) {
    const upcoming = activeNow(programme, active.untilMs);
    const expected = expectedMs(current.draft);
    // What is through gives way at once to what the page holds ready, so nothing is changed under it.
    const leftMs = current.through
      ? 0
      : expected === null
        ? Number.POSITIVE_INFINITY
        : expected - (now.monoMs - current.startedMono);
    const endsAtMs = now.wallMs + leftMs;
    const reachesOver = endsAtMs >= active.untilMs - SHORTEST_MS;
    const another = upcoming.playlistId !== null && upcoming.playlistId !== active.playlistId;
    if (another && reachesOver && pick(state, programme, upcoming, now)) {
      return { from: upcoming, cut: 'on_command' };
    }
  }
  return { from: active, cut: 'after_current' };
}

/** When what is on is over by what its playlist says now; null when the playlist has made it no shorter meanwhile. */
function shortenedToMono({ programme, current }: PlaybackState): number | null {
  if (!programme || !current || current.through) return null;
  const { draft, startedMono } = current;
  const item = itemOf(programme, draft.playlistId, draft.itemId);
  const lengthMs = item && (lengthOf(item.duration, draft.kind) ?? draft.videoEndMs);
  const orderedMs = expectedMs(draft) ?? Number.POSITIVE_INFINITY;
  return lengthMs !== null && lengthMs < orderedMs ? startedMono + lengthMs : null;
}

/** Whether a showing is still what its playlist says, and that playlist is on. */
function belongs(programme: Programme, draft: PlayDraft, active: Active): boolean {
  if (draft.playlistId !== active.playlistId) return false;
  const item = itemOf(programme, draft.playlistId, draft.itemId);
  return item !== null && programme.assets.get(item.content_id)?.sha256 === draft.sha256;
}

function acceptable(state: PlaybackState, programme: Programme, draft: PlayDraft, from: Active): boolean {
  if (!drawable(state, draft.kind)) return false;
  if (!belongs(programme, draft, from) || !state.media.has(draft.sha256)) return false;
  const item = itemOf(programme, draft.playlistId, draft.itemId);
  const asset = item && programme.assets.get(item.content_id);
  return (
    asset !== null && asset !== undefined && lengthOf(item?.duration ?? null, asset.type) === draft.durationMs
  );
}

/** A showing that was prepared and never seen does not count: its playlist goes back to where it stood. */
function rolledBack(state: PlaybackState): PlaybackState['positions'] {
  const before = state.prepared?.before;
  if (!before) return state.positions;
  const { [before.playlistId]: _taken, ...rest } = state.positions;
  return before.position === null ? rest : { ...rest, [before.playlistId]: before.position };
}

const prepareOrder = (draft: PlayDraft, cut: Cut): StageOrder => ({
  type: 'prepare',
  showing: {
    id: draft.id,
    kind: draft.kind,
    url: `/media/${draft.sha256}`,
    duration_ms: draft.durationMs,
    video_end_ms: draft.videoEndMs,
  },
  cut,
});

/** Milliseconds until the machine wants a `tick`. */
export function playbackWaitMs(state: PlaybackState, now: { wallMs: number; monoMs: number }): number {
  const waits = [LOOK_AGAIN_MS];
  const untilMs = state.active?.untilMs ?? null;
  if (untilMs !== null) {
    waits.push(untilMs - now.wallMs);
    if (untilMs - LEAD_MS > now.wallMs) waits.push(untilMs - LEAD_MS - now.wallMs);
  }
  const { curtainUntilMono } = state;
  if (curtainUntilMono !== null && curtainUntilMono > now.monoMs) waits.push(curtainUntilMono - now.monoMs);
  const shortenedTo = shortenedToMono(state);
  if (shortenedTo !== null && shortenedTo > now.monoMs) waits.push(shortenedTo - now.monoMs);
  if (state.leaving && state.current) waits.push(state.current.startedMono + LEAVING_MS + 1 - now.monoMs);
  if (state.prepared?.sent && !state.prepared.ready) {
    waits.push(state.prepared.sinceMono + PREPARE_TIMEOUT_MS + 1 - now.monoMs);
  }
  if (!state.prepared) {
    for (const failure of Object.values(state.failures)) {
      if (failure.retryAtMono > now.monoMs) waits.push(failure.retryAtMono - now.monoMs);
    }
  }
  return Math.max(0, Math.min(...waits));
}
