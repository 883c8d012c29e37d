import type { ActiveAnswer } from '@placard/schedule';
import type { World } from './manifest.ts';
import { targetKey, targetKeys } from './reach.ts';
import type { Membership } from './reach.ts';

/** Why one rule is, or is not, what a device shows. */
export interface ExplainedCandidate {
  schedule_id: string;
  schedule_name: string;
  rule_id: string;
  playlist: { id: string; name: string } | null;
  priority: number;
  matches: boolean;
  wins: boolean;
  reason: string;
}

export interface Explanation {
  /** What the device shows and why, in one or two sentences. */
  reason: string;
  /** How many rules there are. */
  total: number;
  /**
   * Some of them, in order: the rules that reach the device first, switched-off ones of them last; then those of others
   * in the same way.
   */
  candidates(from: number, to: number): ExplainedCandidate[];
  /** Name of the schedule of a rule. */
  scheduleNameOf(ruleId: string): string | undefined;
}

type Explained = Pick<ActiveAnswer, 'source' | 'schedule' | 'playlist_id' | 'candidates'>;

/** Explains an answer of the schedule engine in terms of everything that the cloud knows. */
export function explainActive(world: World, answer: Explained, member: Membership): Explanation {
  const schedules = new Map([...world.schedules, ...world.switchedOff].map((each) => [each.id, each]));
  const rules = new Map(
    [...schedules.values()].flatMap((schedule) =>
      schedule.rules.map(({ id, playlist_id }) => [id, { schedule, playlist_id }] as const),
    ),
  );
  const playlistOf = (ruleId: string) => {
    const playlist = world.playlists.get(rules.get(ruleId)?.playlist_id ?? '');
    return playlist ? { id: playlist.id, name: playlist.name } : null;
  };
  const keys = new Set(targetKeys(member));
  const reached = new Set(
    [...schedules.values()]
      .filter(({ targets }) => targets.some((target) => keys.has(targetKey(target))))
      .map(({ id }) => id),
  );
  const empty = emptySentence(world, answer.playlist_id);

  /** What is said of a rule is put together for those that are looked at. */
  type Entry = { scheduleId: string; explain: () => ExplainedCandidate };
  const running = answer.candidates.map((candidate): Entry => ({
    scheduleId: candidate.schedule_id,
    explain: () => ({
      ...candidate,
      schedule_name: schedules.get(candidate.schedule_id)?.name ?? '',
      playlist: playlistOf(candidate.rule_id),
      reason: candidate.wins ? `${candidate.reason}${empty}` : candidate.reason,
    }),
  }));
  const off = world.switchedOff.flatMap((schedule) =>
    schedule.rules.map((rule): Entry => ({
      scheduleId: schedule.id,
      explain: () => ({
        schedule_id: schedule.id,
        schedule_name: schedule.name,
        rule_id: rule.id,
        playlist: playlistOf(rule.id),
        priority: rule.priority,
        matches: false,
        wins: false,
        reason: reached.has(schedule.id)
          ? 'Switched off: its schedule is not active.'
          : 'Switched off, and its schedule does not target this device.',
      }),
    })),
  );
  const all = [...running, ...off];
  const ordered = [
    ...all.filter(({ scheduleId }) => reached.has(scheduleId)),
    ...all.filter(({ scheduleId }) => !reached.has(scheduleId)),
  ];
  return {
    reason: outcome(world, answer) + empty,
    total: ordered.length,
    candidates: (from, to) => ordered.slice(from, to).map(({ explain }) => explain()),
    scheduleNameOf: (ruleId) => rules.get(ruleId)?.schedule.name,
  };
}

function outcome(world: World, { source, schedule, playlist_id }: Explained): string {
  const name = world.playlists.get(playlist_id ?? '')?.name ?? playlist_id;
  switch (source) {
    case 'schedule':
      return `A rule of the schedule “${schedule?.name}” is active and shows the playlist “${name}”.`;
    case 'deployment':
      return `No rule is active: the deployed playlist “${name}” is shown.`;
    case 'none':
    default:
      return 'No rule is active and no playlist is deployed: the idle screen is shown.';
  }
}

/** What an operator has to know of a playlist that wins and has nothing to show. */
function emptySentence(world: World, playlistId: string | null): string {
  const playlist = world.playlists.get(playlistId ?? '');
  return playlist && playlist.items.length === 0
    ? ` The playlist “${playlist.name}” is empty: the screen keeps what it showed before.`
    : '';
}

const IDS = /\b(?:rule|dev|store)_[0-9a-z]+/g;

/** Ids of rules, devices and stores that a sentence names. */
export const idsIn = (sentence: string): string[] => sentence.match(IDS) ?? [];

/** The sentence with the name of what an id stands for behind it. */
export const withNames = (sentence: string, nameOf: (id: string) => string | undefined): string =>
  sentence.replaceAll(IDS, (id) => {
    const name = nameOf(id);
    return name === undefined ? id : `${id} (“${name}”)`;
  });
