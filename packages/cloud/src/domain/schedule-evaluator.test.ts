import { compileSchedules, evaluateSchedules, targetKey, targetKeysOf } from '@placard/schedule';
import type { DeviceMembership } from '@placard/schedule';
import { array, assert, boolean, constantFrom, integer, property, record, uniqueArray } from 'fast-check';
import { expect, test } from 'vitest';
import { contentOf } from '../../test/support/manifest-content.ts';
import type { ManifestInputs } from '../../test/support/manifest-content.ts';
import { explainActiveSchedule } from './active-schedule-explanation.ts';
import { createManifestBuilder } from './manifest-builder.ts';
import { createScheduleEvaluator } from './schedule-evaluator.ts';

const hash = (text: string) => text;
const target = constantFrom(
  { type: 'tag' as const, value: 'a' },
  { type: 'tag' as const, value: 'b' },
  { type: 'store' as const, id: 'store_1' },
  { type: 'device' as const, id: 'dev_1' },
  { type: 'device' as const, id: 'dev_2' },
);
const rule = record({
  playlist_id: constantFrom('pl_1', 'pl_2', 'pl_none'),
  start_time: constantFrom('00:00', '08:00', '20:00', 'wrong'),
  end_time: constantFrom('09:00', '24:00'),
  days: constantFrom(['MON' as const], ['MON' as const, 'TUE' as const]),
  priority: integer({ min: 0, max: 2 }),
  updated_at: constantFrom('2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'),
});
const schedule = record({
  isActive: boolean(),
  targets: uniqueArray(target, { selector: targetKey, maxLength: 3 }),
  rules: array(rule, { maxLength: 3 }),
});
const device = record({
  id: constantFrom('dev_1', 'dev_2', 'dev_3'),
  store_id: constantFrom('store_1', null),
  tags: constantFrom([], ['a'], ['a', 'b']),
});

function inputsWith(schedules: readonly ManifestInputs['schedules'][number][], active: ReadonlySet<string>) {
  const playlists = ['pl_1', 'pl_2'].map((id) => ({ id, name: id, mode: 'sequential' as const, items: [] }));
  return {
    timezone: 'UTC',
    timezones: { version: 'x', zones: {} },
    mediaHosts: [],
    schedules: schedules.filter(({ id }) => active.has(id)),
    inactiveSchedules: schedules.filter(({ id }) => !active.has(id)),
    playlists: new Map(playlists.map((each) => [each.id, each])),
    assets: new Map(),
    deploymentByTarget: new Map([['tag:a', { playlistId: 'pl_1', deploymentId: 'dep_1', createdAtMs: 1 }]]),
  };
}

/** All candidates as the schedule engine lists them when it evaluates all schedules of the organization. */
function expectedCandidates(inputs: ManifestInputs, member: DeviceMembership, atMs: number) {
  const keys = new Set(targetKeysOf(member));
  const base = member.tags.includes('a') ? 'pl_1' : null;
  const evaluation = evaluateSchedules(compileSchedules(inputs), { ...member, base_playlist_id: base }, atMs);
  const isTargeted = (id: string) =>
    [...inputs.schedules, ...inputs.inactiveSchedules].some(
      (each) => each.id === id && each.targets.some((one) => keys.has(targetKey(one))),
    );
  const all = [
    ...evaluation.candidates.map(({ schedule_id, rule_id, matches, wins }) => [
      schedule_id,
      rule_id,
      matches,
      wins,
    ]),
    ...inputs.inactiveSchedules.flatMap(({ id, rules }) => rules.map((one) => [id, one.id, false, false])),
  ];
  const ordered = [
    ...all.filter(([id]) => isTargeted(String(id))),
    ...all.filter(([id]) => !isTargeted(String(id))),
  ];
  const reasons = new Map(evaluation.candidates.map((each) => [each.rule_id, each.reason]));
  return { evaluation, ordered, reasons };
}

test('evaluating the schedules of one device and explaining it equals evaluating all schedules', () => {
  const evaluator = createScheduleEvaluator();
  assert(
    property(
      array(schedule, { maxLength: 6 }),
      array(device, { minLength: 1, maxLength: 3 }),
      integer({ min: 0, max: 47 }),
      integer({ min: 0, max: 6 }),
      (made, devices, hour, from) => {
        const schedules = made.map(({ targets, rules }, n) => ({
          id: `sch_${n}`,
          name: `S${n}`,
          targets,
          rules: rules.map((one, index) => ({
            ...one,
            days: [...one.days],
            id: `rule_${(7 * n + index) % 5}_${n}`,
            rrule: null,
            starts_on: null,
            ends_on: null,
            created_at: one.updated_at,
          })),
        }));
        const active = new Set(schedules.flatMap(({ id }, n) => (made[n]?.isActive ? [id] : [])));
        const inputs = inputsWith(schedules, active);
        const content = contentOf(inputs, hash);
        const manifests = createManifestBuilder(content, hash);
        const atMs = Date.UTC(2026, 10, 23, hour, 30);
        for (const member of devices) {
          const { evaluation, ordered, reasons } = expectedCandidates(inputs, member, atMs);
          const found = evaluator.evaluate(manifests, member, atMs);
          const { candidates: _, ...result } = found;
          const { candidates: __, ...expected } = evaluation;
          expect(result).toEqual(expected);
          const explained = explainActiveSchedule(content, found, member, () =>
            evaluator.activeRules(content),
          );
          expect(explained.total).toBe(ordered.length);
          const page = explained.candidates(from, from + 4);
          expect(page.map((each) => [each.schedule_id, each.rule_id, each.matches, each.wins])).toEqual(
            ordered.slice(from, from + 4),
          );
          for (const each of page) {
            const reason = reasons.get(each.rule_id) ?? 'Switched off';
            expect(each.reason.startsWith(reason)).toBe(true);
          }
        }
      },
    ),
  );
});

test('the order of all rules is made without reading when they apply, and again only after a change of schedules', () => {
  let reads = 0;
  const one = {
    id: 'rule_1',
    playlist_id: 'pl_1',
    get start_time() {
      reads += 1;
      return '08:00';
    },
    end_time: '09:00',
    days: ['MON' as const],
    rrule: null,
    priority: 1,
    starts_on: null,
    ends_on: null,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  };
  const all = { id: 'sch_1', name: 'S', targets: [{ type: 'all' as const }], rules: [] };
  const content = contentOf(inputsWith([all], new Set(['sch_1'])), hash);
  const [stored] = content.schedules.values();
  const schedules = new Map([['sch_1', { ...stored!, manifest: { ...stored!.manifest, rules: [one] } }]]);
  const evaluator = createScheduleEvaluator();
  const rules = evaluator.activeRules({ schedules });
  expect([rules.map(({ rule }) => rule.id), reads]).toEqual([['rule_1'], 0]);
  expect(evaluator.activeRules({ ...content, schedules })).toBe(rules);
  expect(evaluator.activeRules({ schedules: new Map(schedules) })).not.toBe(rules);
});
