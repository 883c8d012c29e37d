import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';
import { buildReportedState } from '../support/paired-device.ts';

export const MINUTE_MS = 60_000;

/** The rules of the trial: one for each condition, with who is mailed. */
export const RULES = {
  fault: { type: 'fault', code: 'trial.now', minutes: 0 },
  lasting: { type: 'fault', code: 'trial.lasting', minutes: 6 },
  silence: { type: 'offline', minutes: 10 },
  heat: { type: 'hot', celsius: 80, minutes: 5 },
  disk: { type: 'disk_below', free: 500, unit: 'MB', minutes: 0 },
  nothing: { type: 'nothing_playable', minutes: 2 },
  outdated: { type: 'old_version', version: '1.0.0', minutes: 0 },
} as const;
export type RuleName = keyof typeof RULES;

/** All incidents of this rule that happen at the same time are one alert. */
export const OF_ALL: RuleName = 'outdated';

/** Mailed alerts of this rule that are open after these minutes are mailed once more. */
export const ESCALATED: RuleName = 'fault';
export const ESCALATED_AFTER_MINUTES = 5;

/** What a device reports. */
export interface Report {
  version: string;
  faults: readonly string[];
  celsius: number;
  freeBytes: number;
}

export const WELL: Report = { version: '1.0.0', faults: [], celsius: 45, freeBytes: 8_000_000_000 };

/** Something that happens to a device, or to all devices of a store. */
export interface Kind {
  rule: RuleName;
  /** What the device reports meanwhile; null: nothing. */
  report: Report | null;
  isWholeStore: boolean;
  /** Whether it lasts long enough for an alert. */
  isLong: boolean;
}

const kind = (rule: RuleName, report: Report | null, more: Partial<Kind> = {}): Kind => ({
  rule,
  report,
  isWholeStore: false,
  isLong: true,
  ...more,
});
const failing = (code: string): Report => ({ ...WELL, faults: [code] });

/** Those that are no alert end long before the minutes of their rule. */
const KINDS: readonly Kind[] = [
  kind('fault', failing('trial.now')),
  kind('fault', failing('trial.now'), { isWholeStore: true }),
  kind('lasting', failing('trial.lasting')),
  kind('lasting', failing('trial.lasting'), { isLong: false }),
  kind('lasting', failing('trial.lasting'), { isWholeStore: true }),
  kind('silence', null),
  kind('silence', null, { isLong: false }),
  kind('silence', null, { isWholeStore: true }),
  kind('heat', { ...WELL, celsius: 91 }),
  kind('heat', { ...WELL, celsius: 91 }, { isLong: false }),
  kind('disk', { ...WELL, freeBytes: 100_000_000 }),
  kind('nothing', failing('playback.nothing_playable')),
  kind('outdated', { ...WELL, version: '0.9.0' }),
];

export const pickKind = (random: SeededRandom): Kind => random.pick(KINDS);

/** Of the time in which a cloud without kills has done everything it waits for. */
const MARGIN_MINUTES = 7;

/** How long it lasts: for an alert, in minutes that surely count; otherwise in all minutes of a cloud that is up. */
export const lengthMs = ({ rule, isLong }: Kind): number =>
  (isLong ? RULES[rule].minutes + MARGIN_MINUTES + (rule === ESCALATED ? ESCALATED_AFTER_MINUTES : 0) : 2) *
  MINUTE_MS;

export const toHeartbeat = ({ version, faults, celsius, freeBytes }: Report, nowMs: number) => {
  const at = new Date(nowMs).toISOString();
  return {
    samples: [
      {
        measured_at: at,
        cpu_percent: 10,
        memory_percent: 40,
        disk_percent: 20,
        temperature_celsius: celsius,
        wifi_signal_dbm: null,
      },
    ],
    state: {
      ...buildReportedState(),
      player_version: version,
      storage: { cache_bytes: 0, free_bytes: freeBytes, assets_held: 0, assets_missing: 0 },
      faults: faults.map((code) => ({ code, since: at, facts: {} })),
    },
  };
};
