import type { Rule } from '@placard/protocol/api';
import type { ScheduleEvaluation } from '@placard/schedule';
import { explainShown } from '../domain/active-schedule-explanation.ts';
import type { ContentSchedule, ManifestContent } from '../domain/manifest-content.ts';

type Shown = Pick<ScheduleEvaluation, 'source' | 'schedule' | 'rule' | 'playlist_id'>;

/** What a device shows and why, with names. */
export function presentShown(content: ManifestContent, shown: Shown) {
  const { source, schedule, rule, playlist_id } = shown;
  const playlist = content.playlists.get(playlist_id ?? '')?.manifest;
  return {
    source,
    playlist: playlist ? { id: playlist.id, name: playlist.name } : null,
    schedule,
    rule: rule ? presentRule(rule, content.schedules.get(schedule?.id ?? '')) : null,
    reason: explainShown(content, shown),
  };
}

function presentRule(rule: NonNullable<Shown['rule']>, schedule: ContentSchedule | undefined): Rule {
  const { created_at: _created, updated_at: _updated, days, ...fields } = rule;
  return {
    ...fields,
    days: days ? [...days] : null,
    end_day_offset: rule.end_day_offset ?? 0,
    except_dates: [...(rule.except_dates ?? [])],
    local_time: rule.local_time ?? false,
    ...schedule?.exceptionsAsWritten.get(rule.id),
  };
}
