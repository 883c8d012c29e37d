/**
 * Told what happens, for the metrics of operators. Hot paths call it for each request and each heartbeat, so a call does
 * no more than count.
 */
export interface Measurements {
  /** `operation`: the id of the operation, or `other` for pages, files and probes. */
  requestFinished(operation: string, status: number, seconds: number): void;
  /** A heartbeat was stored. */
  heartbeatAccepted(transport: 'http' | 'socket'): void;
  /** A receiver was sent a webhook delivery; `failed` when it will be retried, too. */
  deliveryAttempted(outcome: 'succeeded' | 'failed'): void;
}

/** Of a cloud without metrics. */
export const NO_MEASUREMENTS: Measurements = {
  requestFinished() {},
  heartbeatAccepted() {},
  deliveryAttempted() {},
};
