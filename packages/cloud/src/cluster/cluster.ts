/** The nodes of one cloud: equal processes that share its data. */
export interface Cluster {
  /**
   * Whether this node does the work that only one at a time may do. After a node has ended without a word, no node does
   * for up to 15 s.
   */
  isLeader: () => boolean;
  /** Whether there is no other node, as far as is known: one that has just joined may not be counted yet. */
  isAlone: () => boolean;
  /** Calls `listener` when another node has left messages, and at intervals, in case that was not heard. */
  onMessages: (listener: () => void) => void;
  /** Another node can be the leader at once. */
  close: () => Promise<void>;
}

/** A cloud of one node. */
export const singleNode: Cluster = {
  isLeader: () => true,
  isAlone: () => true,
  onMessages() {},
  async close() {},
};
