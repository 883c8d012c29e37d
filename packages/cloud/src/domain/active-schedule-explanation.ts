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

/** Explains the result of the schedule engine with everything that the cloud knows. */
export function explainActiveSchedule(
  content: ManifestContent,
  active: ExplainedActiveSchedule,
  device: DeviceMembership,
): ActiveScheduleExplanation {
  const schedules = new Map([...content.schedules].map(([id, { manifest }]) => [id, manifest]));
  const inactiveSchedules = [...content.schedules.values()].flatMap(({ isActive, manifest }) =>
    isActive ? [] : [manifest],
  );
  const rules = new Map(
    [...schedules.values()].flatMap((schedule) =>
      schedule.rules.map(({ id, playlist_id }) => [id, { schedule, playlist_id }] as const),
    ),
  );
  const playlistOf = (ruleId: string) => {
    const playlist = content.playlists.get(rules.get(ruleId)?.playlist_id ?? '')?.manifest;
    return playlist ? { id: playlist.id, name: playlist.name } : null;
  };
  const deviceTargetKeys = new Set(targetKeysOf(device));
  const targetedScheduleIds = new Set(
    [...schedules.values()]
      .filter(({ targets }) => targets.some((target) => deviceTargetKeys.has(targetKey(target))))
      .map(({ id }) => id),
  );
  const emptyNote = emptyPlaylistNote(content, active.playlist_id);

  /** Explanations are built lazily, for the requested page only. */
  type Entry = { scheduleId: string; explain: () => ExplainedCandidate };
  const activeEntries = active.candidates.map((candidate): Entry => ({
    scheduleId: candidate.schedule_id,
    explain: () => ({
      ...candidate,
      schedule_name: schedules.get(candidate.schedule_id)?.name ?? '',
      playlist: playlistOf(candidate.rule_id),
      reason: candidate.wins ? `${candidate.reason}${emptyNote}` : candidate.reason,
    }),
  }));
  const inactiveEntries = inactiveSchedules.flatMap((schedule) =>
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
        reason: targetedScheduleIds.has(schedule.id)
          ? 'Switched off: its schedule is not active.'
          : 'Switched off, and its schedule does not target this device.',
      }),
    })),
  );
  const all = [...activeEntries, ...inactiveEntries];
  const ordered = [
    ...all.filter(({ scheduleId }) => targetedScheduleIds.has(scheduleId)),
    ...all.filter(({ scheduleId }) => !targetedScheduleIds.has(scheduleId)),
  ];
  return {
    reason: describeSource(content, active) + emptyNote,
    total: ordered.length,
    candidates: (from, to) => ordered.slice(from, to).map(({ explain }) => explain()),
    scheduleNameOf: (ruleId) => rules.get(ruleId)?.schedule.name,
  };
}

function describeSource(
  content: ManifestContent,
  { source, schedule, playlist_id }: ExplainedActiveSchedule,
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
