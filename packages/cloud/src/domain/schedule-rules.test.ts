import { expect, test } from 'vitest';
import { assignRuleIds } from './schedule-rules.ts';

test('new rules get ascending ids in the order of the list, so that the first of equal rules wins', () => {
  const ids = ['rule_c', 'rule_a', 'rule_d', 'rule_b'];
  const rule = {
    playlist_id: 'pl_1',
    start_time: '08:00',
    end_time: '09:00',
    days: ['MON' as const],
    priority: 0,
    end_day_offset: 0,
    except_dates: [],
    local_time: false,
  };
  const [first, ...others] = assignRuleIds([], [rule, rule, rule], () => ids.pop() ?? '', 5);
  expect([first, ...others].map((each) => each?.id)).toEqual(['rule_a', 'rule_b', 'rule_d']);
  const kept = assignRuleIds(first ? [first] : [], [rule, { ...rule, id: 'rule_a' }], () => 'rule_e', 6);
  expect(kept.map(({ id, updated_at }) => [id, updated_at])).toEqual([
    ['rule_e', 6],
    ['rule_a', 5],
  ]);
});
