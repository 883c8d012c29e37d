export { activeAt } from './active-at.ts';
export { checkRule } from './check-rule.ts';
export type { RuleInput, RuleProblem } from './check-rule.ts';
export { compileSchedules } from './compile.ts';
export type { CompiledSchedules } from './compile.ts';
export { orderOf } from './order.ts';
export type { Order, OrderPlaylist, OrderPosition } from './order.ts';
export type { Asker } from './reach.ts';
export * from './types.ts';
