import type { FaultCode } from '@placard/protocol';
import type { NetworkInterface } from '../ports.ts';
import { EARLIEST_MS } from '../time/corrected-time.ts';
import type { PairingProblem } from './pairing.ts';

/** The links of the chain from this box to its cloud, in the order in which they must hold. */
const STEPS = ['link', 'address', 'dns', 'tls', 'server', 'clock'] as const;
type Step = (typeof STEPS)[number];

/** What to do about the step that fails. */
export type WayHint =
  | 'no_link'
  | 'no_address'
  | 'name_not_found'
  | 'connection_refused'
  | 'no_way'
  | 'no_answer'
  | 'certificate'
  | 'clock_wrong'
  | 'not_placard'
  | 'refused'
  | 'busy'
  | 'server_error';

/** `waiting`: not known yet, or an earlier one must hold first. */
export interface WayStep {
  step: Step;
  state: 'ok' | 'failed' | 'waiting';
  /** Only with `failed`. */
  hint: WayHint | null;
}

export interface Surroundings {
  server: string;
  /** Null while they are not known. */
  interfaces: readonly NetworkInterface[] | null;
  /** Milliseconds since 1970 by this box. */
  wallMs: number;
}

/** How the last try to reach the cloud went; null when none has come to its end. */
export type LastTry = { ok: true; problem?: never } | { ok: false; problem: Problem };
type Problem = Pick<PairingProblem, 'code' | 'reason'>;

const LINK_LOCAL = /^(169\.254\.|fe80:)/i;
const LOOPBACK = /^\w+:\/\/(localhost|127\.|\[::1\])/i;

/** Which links of the chain hold, and the first that does not, with what to do. */
export function wayToCloud(last: LastTry | null, around: Surroundings): WayStep[] {
  if (last?.ok) return STEPS.map((step) => ({ step, state: 'ok', hint: null }));
  const clockWrong = around.wallMs < EARLIEST_MS;
  const failure = failureOf(last?.problem ?? null, around);
  // Of a chain that nobody has tried yet, only the near end is known.
  const reached = failure?.step ?? (around.interfaces === null ? 'link' : 'dns');
  return STEPS.map((step) => {
    if (step === failure?.step) return { step, state: 'failed', hint: failure.hint };
    if (step === 'clock' && clockWrong) return { step, state: 'failed', hint: 'clock_wrong' };
    const before = STEPS.indexOf(step) < STEPS.indexOf(reached);
    return { step, state: before ? 'ok' : 'waiting', hint: null };
  });
}

interface Failure {
  step: Step;
  hint: WayHint;
}

/** What only a server can answer. */
const ANSWERS: Partial<Record<FaultCode, WayHint>> = {
  'cloud.not_placard': 'not_placard',
  'cloud.refused': 'refused',
  'cloud.busy': 'busy',
};

function failureOf(problem: Problem | null, around: Surroundings): Failure | null {
  if (problem === null) return ownFailure(around);
  const answer = ANSWERS[problem.code];
  if (answer) return { step: 'server', hint: answer };
  if (problem.code === 'cloud.tls') {
    // No certificate is valid for a box that lives in 1970.
    return { step: 'tls', hint: around.wallMs < EARLIEST_MS ? 'clock_wrong' : 'certificate' };
  }
  if (problem.code !== 'cloud.unreachable') return null;
  // Without a reason it did answer, with an error of its own.
  if (problem.reason === null) return { step: 'server', hint: 'server_error' };
  return ownFailure(around) ?? unreachable(problem.reason);
}

/** What this box can tell by itself. */
function ownFailure({ server, interfaces }: Surroundings): Failure | null {
  if (interfaces === null || LOOPBACK.test(server)) return null;
  const addresses = interfaces.flatMap((one) => one.addresses);
  if (addresses.length === 0) return { step: 'link', hint: 'no_link' };
  if (addresses.every((address) => LINK_LOCAL.test(address))) return { step: 'address', hint: 'no_address' };
  return null;
}

function unreachable(reason: string): Failure {
  switch (reason) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return { step: 'dns', hint: 'name_not_found' };
    case 'ECONNREFUSED':
      return { step: 'tls', hint: 'connection_refused' };
    case 'ENETUNREACH':
    case 'EHOSTUNREACH':
      return { step: 'tls', hint: 'no_way' };
    default:
      return { step: 'tls', hint: 'no_answer' };
  }
}
