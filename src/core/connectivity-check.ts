import type { FaultCode } from '@placard/protocol';
import { CONNECTIVITY_STEPS } from '@placard/protocol/stage';
import type { ConnectivityHint, ConnectivityStep } from '@placard/protocol/stage';
import type { NetworkInterface } from './ports.ts';
import { EARLIEST_PLAUSIBLE_MS } from './time/corrected-time.ts';
import type { PairingProblem } from './pairing/pairing.ts';

export interface NetworkEnvironment {
  server: string;
  /** Null while unknown. */
  interfaces: readonly NetworkInterface[] | null;
  /** This device's clock, milliseconds since 1970. */
  wallMs: number;
}

/** Result of the last attempt to reach the cloud; null when none has finished. */
export type LastAttempt = { ok: true; problem?: never } | { ok: false; problem: ConnectionProblem };
type ConnectionProblem = Pick<PairingProblem, 'code' | 'reason'>;

const LINK_LOCAL = /^(169\.254\.|fe80:)/i;
const LOOPBACK = /^\w+:\/\/(localhost|127\.|\[::1\])/i;

/** The state of every step, with a hint for the first one that fails. */
export function checkConnectivity(
  lastAttempt: LastAttempt | null,
  environment: NetworkEnvironment,
): ConnectivityStep[] {
  if (lastAttempt?.ok) {
    return CONNECTIVITY_STEPS.map((step) => ({ step, state: 'ok', hint: null }));
  }
  const clockWrong = environment.wallMs < EARLIEST_PLAUSIBLE_MS;
  const failure = findFailure(lastAttempt?.problem ?? null, environment);
  // Before the first attempt only the local steps are known.
  const furthestStep = failure?.step ?? (environment.interfaces === null ? 'link' : 'dns');
  return CONNECTIVITY_STEPS.map((step) => {
    if (step === failure?.step) {
      return { step, state: 'failed', hint: failure.hint };
    }
    if (step === 'clock' && clockWrong) {
      return { step, state: 'failed', hint: 'clock_wrong' };
    }
    const before = CONNECTIVITY_STEPS.indexOf(step) < CONNECTIVITY_STEPS.indexOf(furthestStep);
    return { step, state: before ? 'ok' : 'waiting', hint: null };
  });
}

interface StepFailure {
  step: ConnectivityStep['step'];
  hint: ConnectivityHint;
}

/** Faults that only a server's response can cause. */
const SERVER_HINTS: Partial<Record<FaultCode, ConnectivityHint>> = {
  'cloud.not_placard': 'not_placard',
  'cloud.refused': 'refused',
  'cloud.busy': 'busy',
};

function findFailure(problem: ConnectionProblem | null, environment: NetworkEnvironment): StepFailure | null {
  if (problem === null) {
    return findLocalFailure(environment);
  }
  const serverHint = SERVER_HINTS[problem.code];
  if (serverHint) {
    return { step: 'server', hint: serverHint };
  }
  if (problem.code === 'cloud.tls') {
    // Every certificate is invalid for a clock in 1970.
    return { step: 'tls', hint: environment.wallMs < EARLIEST_PLAUSIBLE_MS ? 'clock_wrong' : 'certificate' };
  }
  if (problem.code !== 'cloud.unreachable') {
    return null;
  }
  // Without a network error the server did respond, with an error of its own.
  if (problem.reason === null) {
    return { step: 'server', hint: 'server_error' };
  }
  return findLocalFailure(environment) ?? classifyNetworkError(problem.reason);
}

/** Failures that the device can detect locally. */
function findLocalFailure({ server, interfaces }: NetworkEnvironment): StepFailure | null {
  if (interfaces === null || LOOPBACK.test(server)) {
    return null;
  }
  const addresses = interfaces.flatMap((one) => one.addresses);
  if (addresses.length === 0) {
    return { step: 'link', hint: 'no_link' };
  }
  if (addresses.every((address) => LINK_LOCAL.test(address))) {
    return { step: 'address', hint: 'no_address' };
  }
  return null;
}

function classifyNetworkError(reason: string): StepFailure {
  switch (reason) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return { step: 'dns', hint: 'name_not_found' };
    case 'ECONNREFUSED':
      return { step: 'tls', hint: 'connection_refused' };
    case 'ENETUNREACH':
    case 'EHOSTUNREACH':
      return { step: 'tls', hint: 'no_route' };
    default:
      return { step: 'tls', hint: 'no_answer' };
  }
}
