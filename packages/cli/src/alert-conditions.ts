import type { AlertRule } from '@placard/client';
import type { Command } from 'commander';
import { UsageError } from './output/failure.ts';

type Condition = AlertRule['condition'];

export function formatCondition(condition: Condition): string {
  const lasting = condition.minutes === 0 ? '' : ` for ${condition.minutes} min`;
  return `${formatState(condition)}${lasting}`;
}

function formatState(condition: Condition): string {
  switch (condition.type) {
    case 'fault':
      return `fault ${condition.code ?? 'of any kind'}`;
    case 'old_version':
      return `older than ${condition.version}`;
    case 'hot':
      return `${condition.celsius} °C or hotter`;
    case 'disk_below':
      return `less than ${condition.free} ${condition.unit === 'percent' ? '%' : condition.unit} free`;
    case 'nothing_playable':
      return 'nothing to show';
    case 'screen_black':
      return `black in ${condition.pictures} pictures`;
    case 'screen_frozen':
      return `alike in ${condition.pictures} pictures`;
    case 'offline':
    case 'behind':
    default:
      return condition.type;
  }
}

/** The options of `withConditions`. */
export interface ConditionOptions {
  offline?: string;
  fault?: string;
  behind?: string;
  olderThan?: string;
  hot?: string;
  diskBelow?: string;
  nothingPlayable?: string;
  black?: string;
  frozen?: string;
  for?: string;
}

export const withConditions = (command: Command): Command =>
  command
    .option('--offline <minutes>', 'screens that are offline for so long')
    .option('--fault <code>', 'screens that report this fault, or any')
    .option('--behind <minutes>', 'screens that do not show what they should for so long')
    .option('--older-than <version>', 'screens with an older player')
    .option('--hot <celsius>', 'screens that are so hot or hotter')
    .option('--disk-below <amount>', 'screens with less free disk space: 500MB or 10%')
    .option('--nothing-playable <minutes>', 'screens that have had nothing to show for so long')
    .option('--black <pictures>', 'screens of which so many pictures, one after the other, are black')
    .option('--frozen <pictures>', 'screens of which so many look the same though they show something else')
    .option('--for <minutes>', 'of a fault, a version, heat, disk space or pictures: how long it must last');

/** The options that are a condition, each with what it means for so many minutes (`--for`). */
const CONDITIONS: readonly [
  Exclude<keyof ConditionOptions, 'for'>,
  (text: string, minutes: number) => Condition,
][] = [
  ['offline', (text) => ({ type: 'offline', minutes: toNumber(text) })],
  ['fault', (code, minutes) => ({ type: 'fault', code: code === 'any' ? null : code, minutes })],
  ['behind', (text) => ({ type: 'behind', minutes: toNumber(text) })],
  ['olderThan', (version, minutes) => ({ type: 'old_version', version, minutes })],
  ['hot', (text, minutes) => ({ type: 'hot', celsius: toNumber(text), minutes })],
  ['diskBelow', (text, minutes) => ({ type: 'disk_below', ...toFreeSpace(text), minutes })],
  ['nothingPlayable', (text) => ({ type: 'nothing_playable', minutes: toNumber(text) })],
  ['black', (text, minutes) => ({ type: 'screen_black', pictures: toNumber(text), minutes })],
  ['frozen', (text, minutes) => ({ type: 'screen_frozen', pictures: toNumber(text), minutes })],
];

/**
 * The condition that the options give; undefined: none. Minutes that are not given stay as they are `before`, if that is the same
 * condition.
 */
export function toCondition(options: ConditionOptions, before?: Condition): Condition | undefined {
  const given = CONDITIONS.flatMap(([option, read]) => {
    const text = options[option];
    return text === undefined ? [] : [(minutes: number) => read(text, minutes)];
  });
  if (given.length > 1) {
    throw oneCondition();
  }
  const minutes = options.for === undefined ? undefined : toNumber(options.for);
  const [condition] = given;
  if (!condition) {
    return before && minutes !== undefined ? { ...before, minutes } : undefined;
  }
  const minutesBefore = before?.type === condition(0).type ? before.minutes : 0;
  return condition(minutes ?? minutesBefore);
}

export const oneCondition = () =>
  new UsageError(
    'Exactly one of --offline, --fault, --behind, --older-than, --hot, --disk-below, --nothing-playable, --black and --frozen.',
  );

function toFreeSpace(text: string) {
  const [, free, unit] = /^(\d{1,9})(MB|%)$/.exec(text) ?? [];
  if (free === undefined) {
    throw new UsageError(`"${text}" is no disk space: give it as 500MB or 10%.`);
  }
  return { free: Number(free), unit: unit === '%' ? 'percent' : 'MB' } as const;
}

function toNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text)) {
    throw new UsageError(`"${text}" is no whole number.`);
  }
  return Number(text);
}
