import { z } from 'zod';
import type { Asked, Scene } from './scene.ts';

const made = z.object({ data: z.object({ id: z.string() }) });
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1).join(',');

/** Recurrences that cost most, accepted or not; `n` makes each of them another one. */
const RECURRENCES: readonly ((n: number) => string)[] = [
  (n) => `FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=${upTo(31)};COUNT=${480_000 - n}`,
  (n) => `DTSTART:19700101\nRRULE:FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=${upTo(31)};COUNT=${1000 + n}`,
  (n) => `DTSTART:19700101\nRRULE:FREQ=DAILY;COUNT=${900_000 + n}`,
  (n) =>
    `DTSTART:1970${String(1 + (n % 12)).padStart(2, '0')}01\nRRULE:FREQ=MONTHLY;BYMONTHDAY=31;INTERVAL=${1 + (n % 12)}`,
  (n) => `FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;INTERVAL=${100 + n}`,
  (n) => `FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;INTERVAL=${1 + n}`,
  (n) => `FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=${upTo(31)};COUNT=${9_000 + n}`,
  (n) => `FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=-1;INTERVAL=${7 + n};COUNT=50000`,
  (n) => `DTSTART:00010101\nRRULE:FREQ=YEARLY;BYDAY=MO;BYSETPOS=${upTo(250)};COUNT=${480_000 - n}`,
  (n) => `FREQ=DAILY;BYMONTH=${upTo(12)};BYMONTHDAY=${upTo(31)};BYDAY=MO,TU;INTERVAL=${1 + n}`,
];
/** Targets that no screen has, as many as one schedule can have. */
const EMPTY_TAGS = Array.from({ length: 999 }, (_, n) => ({ type: 'tag', value: `${n} ${'🎄'.repeat(90)}` }));
const INSTANTS_AT_ONCE = 8;
const INSTANTS = ['2199-12-31T23:00:00.000Z', '2026-12-24T18:00:00.000Z', '9998-01-01T00:00:00.000Z'];

/** Gives all screens a schedule of the worst rules, other ones each time, and asks what they show in far-off years. */
export async function giantRules(scene: Scene): Promise<void> {
  const { orders, chance } = scene;
  const [key = ''] = orders.writeKeys;
  let id: string | null = null;
  for (let n = 0; await scene.pause(orders.pressure.rulesEveryMs); n++) {
    const recurrence = RECURRENCES[n % RECURRENCES.length]!;
    const rules = Array.from({ length: orders.pressure.rules }, (_, index) => ({
      playlist_id: orders.playlistId,
      start_time: '00:00',
      end_time: '24:00',
      rrule: recurrence(index),
      priority: index % 1000,
    }));
    scene.did(`a schedule of ${rules.length} rules such as ${recurrence(0).slice(0, 60)}`);
    const answer: Asked | null = await scene.ask(
      id === null
        ? {
            attack: 'giant rules',
            method: 'POST',
            path: '/v1/schedules',
            key,
            json: {
              name: 'hostile schedule',
              targets: [{ type: 'tag', value: 'steady' }, ...EMPTY_TAGS],
              rules,
            },
          }
        : { attack: 'giant rules', method: 'PATCH', path: `/v1/schedules/${id}`, key, json: { rules } },
    );
    if (answer?.status === 201) id = made.parse(JSON.parse(answer.text)).data.id;
    for (let i = 0; i < INSTANTS_AT_ONCE; i++) {
      const at = chance.pick(INSTANTS);
      scene.did(`what a screen shows at ${at}`);
      void scene.ask({
        attack: 'far-off instants',
        method: 'GET',
        path: `/v1/devices/${chance.pick(orders.screens).deviceId}/active-schedule?at=${at}&limit=100`,
        key: orders.readKey,
      });
    }
  }
}
