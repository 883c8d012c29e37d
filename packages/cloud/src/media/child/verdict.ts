import type { Facts, RefusedBecause, Report } from '../messages.ts';

/** The last word on a file. */
export type Verdict = Extract<Report, { type: 'done' | 'refused' }>;
/** Tells what is known of a file that can be shown, before its small picture is made. */
export type TellFacts = (facts: Facts) => void;

/** Libraries put bytes of the file into their messages: these end somewhere. */
const MOST_CHARACTERS = 2000;

export const refused = (reason: RefusedBecause, message: string): Verdict => ({
  type: 'refused',
  reason,
  message: message.slice(0, MOST_CHARACTERS),
});
