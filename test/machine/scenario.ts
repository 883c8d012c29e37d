import type { ScenarioContext } from './scenario-context.ts';

/** A test of a machine from outside. Throws when it fails. */
export interface Scenario {
  /** The name for `--only` and `--from`. */
  readonly name: string;
  readonly title: string;
  run(trial: ScenarioContext): Promise<void>;
}
