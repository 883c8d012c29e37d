import type { ManifestContent } from './manifest-content.ts';
import { targetSpecificity, untargetedCandidate } from '@placard/schedule';
import type { Candidate, DeviceMembership, ScheduledRule, ScheduleEvaluation } from '@placard/schedule';

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
 * the device as candidates; `activeRules` gives those of all active schedules, the first in precedence first. They are
 * looked at only for a page that has others than those that target the device.
 */
export function explainActiveSchedule(
  content: ManifestContent,
  active: ExplainedActiveSchedule,
  device: DeviceMembership,
  activeRules: () => readonly ScheduledRule[],
): ActiveScheduleExplanation {
  const { schedules, playlists } = content;
  const explain = (candidate: Candidate): ExplainedCandidate => {
    const schedule = schedules.get(candidate.schedule_id)?.manifest;
    const rule = schedule?.rules.find(({ id }) => id === candidate.rule_id);
    const playlist = playlists.get(rule?.playlist_id ?? '')?.manifest;
    return {
      ...candidate,
      schedule_name: schedule?.name ?? '',
      playlist: playlist ? { id: playlist.id, name: playlist.name } : null,
      reason: candidate.wins
        ? `${candidate.reason}${emptyPlaylistNote(content, active.playlist_id)}`
        : candidate.reason,
    };
  };
  /** All candidates in their order. Only those of the page are made. */
  function* candidates(): Generator<() => Candidate> {
    for (const candidate of active.candidates) {
      yield () => candidate;
    }
    yield* inactiveCandidates(true);
    const targetedIds = new Set(active.candidates.map(({ schedule_id }) => schedule_id));
    for (const each of activeRules()) {
      if (!targetedIds.has(each.schedule.id)) {
        yield () => untargetedCandidate(each);
      }
    }
    yield* inactiveCandidates(false);
  }
  function* inactiveCandidates(ofTargeted: boolean): Generator<() => Candidate> {
    for (const { manifest, isActive } of schedules.values()) {
      const { id, rules, targets } = manifest;
      const isTargeted = () => targetSpecificity(targets, { ...device, base_playlist_id: null }) < Infinity;
      if (isActive || isTargeted() !== ofTargeted) {
        continue;
      }
      for (const rule of rules) {
        yield () => ({
          schedule_id: id,
          rule_id: rule.id,
          priority: rule.priority,
          matches: false,
          wins: false,
          reason: ofTargeted
            ? 'Switched off: its schedule is not active.'
            : 'Switched off, and its schedule does not target this device.',
        });
      }
    }
  }
  return {
    reason: explainShown(content, active),
    total: [...schedules.values()].reduce((sum, { manifest }) => sum + manifest.rules.length, 0),
    candidates(from, to) {
      const page: ExplainedCandidate[] = [];
      let index = 0;
      for (const make of candidates()) {
        if (index >= from) {
          page.push(explain(make()));
        }
        index += 1;
        if (index >= to) {
          break;
        }
      }
      return page;
    },
    scheduleNameOf(ruleId) {
      const found = active.candidates.find(({ rule_id }) => rule_id === ruleId);
      return found && schedules.get(found.schedule_id)?.manifest.name;
    },
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
