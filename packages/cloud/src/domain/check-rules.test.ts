import type { RuleInput } from '@placard/protocol/api';
import { expect, test } from 'vitest';
import { checkRules } from './check-rules.ts';

const rule = (rrule: string): RuleInput => ({
  playlist_id: 'pl_x',
  start_time: '08:00',
  end_time: '09:00',
  rrule,
  priority: 0,
  end_day_offset: 0,
  except_dates: [],
  local_time: false,
});

test('equal rules are checked once, and the event loop runs between checks', async () => {
  const steps: string[] = [];
  const warnings = await checkRules([rule('A'), rule('B'), rule('A'), rule('B')], {
    check({ rrule }) {
      steps.push(`check ${rrule}`);
      return { errors: [], warnings: [{ path: 'rrule', message: `${rrule} is odd` }] };
    },
    yieldToEventLoop: async () => steps.push('pause'),
  });
  expect(steps).toEqual(['check A', 'pause', 'check B', 'pause']);
  expect(warnings).toEqual([
    { path: 'rules.0.rrule', message: 'A is odd' },
    { path: 'rules.1.rrule', message: 'B is odd' },
    { path: 'rules.2.rrule', message: 'A is odd' },
    { path: 'rules.3.rrule', message: 'B is odd' },
  ]);
});

test('all errors are reported together', async () => {
  const checked = checkRules([rule('A'), rule('A')], {
    check: () => ({ errors: [{ path: 'rrule', message: 'is wrong' }], warnings: [] }),
    yieldToEventLoop: async () => undefined,
  });
  await expect(checked).rejects.toMatchObject({
    details: [{ path: 'rules.0.rrule' }, { path: 'rules.1.rrule' }],
  });
});
