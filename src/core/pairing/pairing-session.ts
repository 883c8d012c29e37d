/** A pairing session from the cloud. Stored on disk, so that a restart continues polling the same one. */
export interface PairingSession {
  pairingId: string;
  /** The secret that this device polls with. */
  pollToken: string;
  /** `BCD-FGH`. */
  code: string;
  verificationUrl: string;
  verificationUrlComplete: string;
  /** Milliseconds since 1970, by the cloud's clock. */
  expiresAtMs: number;
  intervalMs: number;
}

/** The identity of this player at one server. */
export interface Identity {
  deviceId: string;
  /** Bearer token; never logged. */
  deviceToken: string;
}

/** The cloud's response to a poll. */
export type PairingPoll =
  | { kind: 'pending'; intervalMs: number }
  | { kind: 'slow_down'; afterMs: number }
  | { kind: 'expired' }
  | { kind: 'paired'; identity: Identity };
