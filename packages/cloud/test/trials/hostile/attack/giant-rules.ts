import { z } from 'zod';
import type { AttackResponse, AttackContext } from './attack-context.ts';

const made = z.object({ data: z.object({ id: z.string() }) });
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1).join(',');

/** The most expensive recurrences, accepted or not; `n` makes each one different. */
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
/** Targets without devices, as many as one schedule can have. */
const EMPTY_TAGS = Array.from({ length: 999 }, (_, n) => ({ type: 'tag', value: `${n} ${'🎄'.repeat(90)}` }));
const INSTANTS_AT_ONCE = 8;
const INSTANTS = ['2199-12-31T23:00:00.000Z', '2026-12-24T18:00:00.000Z', '9998-01-01T00:00:00.000Z'];

/** Gives all devices schedules with different worst-case rules, and asks for their active schedule in distant years. */
export async function giantRules(context: AttackContext): Promise<void> {
  const { config, random } = context;
  const [key = ''] = config.writeKeys;
  let id: string | null = null;
  for (let n = 0; await context.pause(config.pressure.rulesEveryMs); n++) {
    const recurrence = RECURRENCES[n % RECURRENCES.length]!;
    const rules = Array.from({ length: config.pressure.rules }, (_, index) => ({
      playlist_id: config.playlistId,
      start_time: '00:00',
      end_time: '24:00',
      rrule: recurrence(index),
      priority: index % 1000,
    }));
    context.logActivity(`a schedule of ${rules.length} rules such as ${recurrence(0).slice(0, 60)}`);
    const response: AttackResponse | null = await context.sendRequest(
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
    if (response?.status === 201) {
      id = made.parse(JSON.parse(response.text)).data.id;
    }
    for (let i = 0; i < INSTANTS_AT_ONCE; i++) {
      const at = random.pick(INSTANTS);
      context.logActivity(`the active schedule of a device at ${at}`);
      void context.sendRequest({
        attack: 'far-off instants',
        method: 'GET',
        path: `/v1/devices/${random.pick(config.screens).deviceId}/active-schedule?at=${at}&limit=100`,
        key: config.readKey,
      });
    }
  }
}
