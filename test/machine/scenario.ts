import type { PlayerPackage } from './player-package.ts';
import type { ScenarioContext } from './scenario-context.ts';

/** A test of a machine from outside. Throws when it fails. */
export interface Scenario {
  /** The name for `--only` and `--from`. */
  readonly name: string;
  readonly title: string;
  /** The only package that it is possible with, and the reason. */
  readonly onlyWith?: { readonly package: PlayerPackage['name']; readonly reason: string };
  run(trial: ScenarioContext): Promise<void>;
}
