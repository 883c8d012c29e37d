/** The last update, as the update helper reports it. `outcome` stays as it is until the next update begins. */
export interface HelperState {
  phase: 'idle' | 'installing' | 'trial' | 'returning';
  outcome: 'none' | 'installing' | 'trial' | 'returning' | 'confirmed' | 'rolled_back' | 'failed';
  /** Why it failed or was rolled back: `bad_signature`, `unhealthy`, `crashed`, …; empty after a success. */
  code: string;
  from: string;
  to: string;
}

export const NEVER_UPDATED: HelperState = { phase: 'idle', outcome: 'none', code: '', from: '', to: '' };
