/**
 * Traces an edit, from its request over its transaction and the push to the sockets to what the screens acknowledge. A trace is
 * named by the W3C `traceparent` of its last span, so that it can go from one node to another.
 */
export interface EditTracing {
  /** Runs the handler of a request that changes something, as the beginning of a trace or a part of the client's. */
  request<T>(request: TracedRequest, run: () => Promise<T>): Promise<T>;
  /**
   * Runs a part of it: of the request that is running, or of the trace that is given. `traces` has the part's own
   * `traceparent`, and is empty outside of a trace.
   */
  part<T>(
    name: string,
    run: (traces: readonly string[]) => Promise<T>,
    within?: readonly string[],
  ): Promise<T>;
  /** A push of these edits begins; the returned function ends it. One at a time. */
  beginPush(traces: readonly string[]): () => void;
  /** The push that is running has told the device this revision. */
  told(deviceId: string, revision: string): void;
  /** The device has reported that it applied this revision. */
  applied(deviceId: string, revision: string | null): void;
}

export interface TracedRequest {
  /** Id of the operation. */
  operation: string;
  method: string;
  /** With `{id}`, not with ids. */
  path: string;
  requestId: string;
  /** The `traceparent` that the client sent. */
  traceparent: unknown;
}

/** Of a cloud without traces. */
export const NO_EDIT_TRACING: EditTracing = {
  request: (_request, run) => run(),
  part: (_name, run) => run([]),
  beginPush: () => () => {},
  told() {},
  applied() {},
};
