import type { ScheduleSet } from '../src/index.ts';
import { makeRule, makeSet } from './rules.ts';

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const list = (of: (index: number) => number | string) =>
  Array.from({ length: 31 }, (_, index) => of(index)).join();

/** The slowest rules: long lists, set positions, a COUNT that is used up late, days that never occur. */
export const WORST_RULES: Record<string, (index: number) => string> = {
  'set positions of years': (index) =>
    `FREQ=YEARLY;INTERVAL=${1 + (index % 3)};BYDAY=MO,TU,WE,TH,FR;COUNT=${1000 + index}` +
    `;BYSETPOS=${list((place) => 1 + ((place * 8 + index) % 250))}`,
  'set positions of months': (index) =>
    `FREQ=MONTHLY;INTERVAL=${2 + (index % 3)};BYMONTHDAY=${list((day) => day + 1)};COUNT=${1000 + index}` +
    `;BYSETPOS=${list((place) => -1 - ((place + index) % 31))}`,
  'set positions of weeks': (index) =>
    `FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYMONTH=1,2,3,4,5,6,7,8,9,10;COUNT=${8000 + index}` +
    `;BYSETPOS=${list((place) => 1 + ((place + index) % 7))}`,
  'every second weekday': (index) =>
    `FREQ=DAILY;INTERVAL=2;BYMONTHDAY=13;BYDAY=${WEEKDAYS[index % 7]};COUNT=${130 + (index % 10)}`,
  'days that never occur': (index) =>
    `FREQ=DAILY;INTERVAL=7;BYDAY=${WEEKDAYS[index % 7]};BYMONTHDAY=${list((day) => day + 1)}`,
  'many ordinals': (index) =>
    `FREQ=YEARLY;COUNT=${900 + index};BYDAY=${list((n) => `${((n * 7 + index) % 53) + 1}${WEEKDAYS[n % 7]}`)}`,
  'many different ends': (index) => `FREQ=DAILY;UNTIL=${1971 + (index % 229)}0${1 + (index % 9)}01T000000Z`,
};

/** Instants to ask about: near, another day, and far away. */
export const WORST_INSTANTS = [
  '2026-11-22T12:00Z',
  '2026-11-23T12:00Z',
  '2200-12-31T23:59Z',
  '1970-01-01T00:00Z',
].map((text) => Date.parse(text));

/** 500 rules of one kind, each different. */
export const makeWorstSet = (rrule: (index: number) => string): ScheduleSet =>
  makeSet(
    'Europe/Berlin',
    ...Array.from({ length: 500 }, (_, index) =>
      makeRule({
        id: `rule_${index}`,
        rrule: rrule(index),
        start_time: '09:00',
        end_time: '09:01',
        priority: index,
        starts_on: `19${70 + (index % 20)}-01-0${1 + (index % 9)}`,
      }),
    ),
  );
