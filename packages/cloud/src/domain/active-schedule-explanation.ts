import type { ManifestSchedule } from '@placard/protocol';
import type { ManifestContent } from './manifest-content.ts';
import { targetKey, targetKeysOf } from '@placard/schedule';
import type { Candidate, DeviceMembership, ScheduleEvaluation } from '@placard/schedule';

/** Why a device shows, or does not show, the playlist of one rule. */
export interface ExplainedCandidate extends Candidate {
  schedule_name: string;
  playlist: { id: string; name: string } | null;
}

export interface ActiveScheduleExplanation {
  /** What the device shows and why, in one or two sentences. */
  reason: string;
  total: number;
  /**
   * A page of the candidates: first the rules that target the device (those of inactive schedules last), then all
   * other rules in the same order.
   */
  candidates(from: number, to: number): ExplainedCandidate[];
  /** Name of the schedule that contains the rule. */
  scheduleNameOf(ruleId: string): string | undefined;
}

type ExplainedActiveSchedule = Pick<ScheduleEvaluation, 'source' | 'schedule' | 'playlist_id' | 'candidates'>;

/**
 * Explains the result of the schedule engine with everything that the cloud knows. `active` has the rules that target
 * the device as candidates; `untargetedCandidates` gives those of all active schedules as if none did, the first in
 * precedence first. They are looked at only for a page that has some.
 */
export function explainActiveSchedule(
  content: ManifestContent,
  active: ExplainedActiveSchedule,
  device: DeviceMembership,
  untargetedCandidates: () => readonly Candidate[],
): ActiveScheduleExplanation {
  const { schedules, playlists } = content;
  const playlistOf = ({ schedule_id, rule_id }: Pick<Candidate, 'schedule_id' | 'rule_id'>) => {
    const rule = schedules.get(schedule_id)?.manifest.rules.find(({ id }) => id === rule_id);
    const playlist = playlists.get(rule?.playlist_id ?? '')?.manifest;
    return playlist ? { id: playlist.id, name: playlist.name } : null;
  };
  const deviceTargetKeys = new Set(targetKeysOf(device));
  const targeted: ManifestSchedule[] = [];
  const inactive: { schedule: ManifestSchedule; isTargeted: boolean }[] = [];
  let total = 0;
  for (const { manifest, isActive } of schedules.values()) {
    const isTargeted = manifest.targets.some((target) => deviceTargetKeys.has(targetKey(target)));
    total += manifest.rules.length;
    if (isTargeted) {
      targeted.push(manifest);
    }
    if (!isActive) {
      inactive.push({ schedule: manifest, isTargeted });
    }
  }
  const targetedIds = new Set(targeted.map(({ id }) => id));
  const emptyNote = emptyPlaylistNote(content, active.playlist_id);

  /** Explanations are built lazily, for the requested page only. */
  type Entry = () => ExplainedCandidate;
  const activeEntry =
    (candidate: Candidate): Entry =>
    () => ({
      ...candidate,
      schedule_name: schedules.get(candidate.schedule_id)?.manifest.name ?? '',
      playlist: playlistOf(candidate),
      reason: candidate.wins ? `${candidate.reason}${emptyNote}` : candidate.reason,
    });
  const inactiveEntries = (ofTargeted: boolean): Entry[] =>
    inactive
      .filter(({ isTargeted }) => isTargeted === ofTargeted)
      .flatMap(({ schedule }) =>
        schedule.rules.map((rule): Entry => () => ({
          schedule_id: schedule.id,
          schedule_name: schedule.name,
          rule_id: rule.id,
          playlist: playlistOf({ schedule_id: schedule.id, rule_id: rule.id }),
          priority: rule.priority,
          matches: false,
          wins: false,
          reason: ofTargeted
            ? 'Switched off: its schedule is not active.'
            : 'Switched off, and its schedule does not target this device.',
        })),
      );
  const first = [...active.candidates.map(activeEntry), ...inactiveEntries(true)];
  const others = (): Entry[] => [
    ...untargetedCandidates()
      .filter((candidate) => !targetedIds.has(candidate.schedule_id))
      .map(activeEntry),
    ...inactiveEntries(false),
  ];
  return {
    reason: explainShown(content, active),
    total,
    candidates: (from, to) =>
      (to <= first.length ? first : [...first, ...others()]).slice(from, to).map((explain) => explain()),
    scheduleNameOf: (ruleId) => targeted.find(({ rules }) => rules.some(({ id }) => id === ruleId))?.name,
  };
}

/** What a device shows and why, in one or two sentences. */
export const explainShown = (
  content: ManifestContent,
  shown: Pick<ScheduleEvaluation, 'source' | 'schedule' | 'playlist_id'>,
): string => describeSource(content, shown) + emptyPlaylistNote(content, shown.playlist_id);

function describeSource(
  content: ManifestContent,
  { source, schedule, playlist_id }: Pick<ScheduleEvaluation, 'source' | 'schedule' | 'playlist_id'>,
): string {
  const name = content.playlists.get(playlist_id ?? '')?.manifest.name ?? playlist_id;
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

/** Note appended when the selected playlist is empty. */
function emptyPlaylistNote(content: ManifestContent, playlistId: string | null): string {
  const playlist = content.playlists.get(playlistId ?? '')?.manifest;
  return playlist && playlist.items.length === 0
    ? ` The playlist “${playlist.name}” is empty: the screen keeps what it showed before.`
    : '';
}

const IDS = /\b(?:rule|dev|store)_[0-9a-z]+/g;

/** Ids of rules, devices and stores that occur in the sentence. */
export const extractIds = (sentence: string): string[] => sentence.match(IDS) ?? [];

/** The sentence with the resource's name after each id. */
export const appendNames = (sentence: string, nameOf: (id: string) => string | undefined): string =>
  sentence.replaceAll(IDS, (id) => {
    const name = nameOf(id);
    return name === undefined ? id : `${id} (“${name}”)`;
  });
