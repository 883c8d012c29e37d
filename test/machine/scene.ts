import type { Trial } from './trial.ts';

/** One story told to a machine from outside. It throws at what is wrong. */
export interface Scene {
  /** As `--only` and `--from` take it. */
  readonly name: string;
  readonly title: string;
  run(trial: Trial): Promise<void>;
}
