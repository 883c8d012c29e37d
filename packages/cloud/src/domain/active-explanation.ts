import type { ActiveAnswer } from '@placard/schedule';
import type { ManifestSchedule } from '@placard/protocol';
import type { World } from './manifest.ts';
import { reaches } from './reach.ts';
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
  /** The rules that reach the device first, switched-off ones of them last; then those of others in the same way. */
  candidates: ExplainedCandidate[];
}

type Explained = Pick<ActiveAnswer, 'source' | 'schedule' | 'playlist_id' | 'candidates'>;

/** Explains an answer of the schedule engine in terms of everything that the cloud knows. */
export function explainActive(world: World, answer: Explained, member: Membership): Explanation {
  const schedules = new Map([...world.schedules, ...world.switchedOff].map((each) => [each.id, each]));
  const playlistIds = new Map(
    [...schedules.values()].flatMap(({ rules }) => rules.map((rule) => [rule.id, rule.playlist_id] as const)),
  );
  const playlistOf = (ruleId: string) => {
    const playlist = world.playlists.get(playlistIds.get(ruleId) ?? '');
    return playlist ? { id: playlist.id, name: playlist.name } : null;
  };
  const isFor = ({ targets }: ManifestSchedule) => targets.some((target) => reaches(target, member));
  const empty = emptySentence(world, answer.playlist_id);

  const running = answer.candidates.map((candidate) => ({
    ...candidate,
    schedule_name: schedules.get(candidate.schedule_id)?.name ?? '',
    playlist: playlistOf(candidate.rule_id),
    reason: candidate.wins ? `${candidate.reason}${empty}` : candidate.reason,
  }));
  const off = world.switchedOff.flatMap((schedule) =>
    schedule.rules.map((rule) => ({
      schedule_id: schedule.id,
      schedule_name: schedule.name,
      rule_id: rule.id,
      playlist: playlistOf(rule.id),
      priority: rule.priority,
      matches: false,
      wins: false,
      reason: isFor(schedule)
        ? 'Switched off: its schedule is not active.'
        : 'Switched off, and its schedule does not target this device.',
    })),
  );
  const reached = new Set([...schedules.values()].filter(isFor).map(({ id }) => id));
  const [ours, others] = [true, false].map((ofUs) =>
    [...running, ...off].filter(({ schedule_id }) => reached.has(schedule_id) === ofUs),
  );
  return { reason: outcome(world, answer) + empty, candidates: [...(ours ?? []), ...(others ?? [])] };
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
