/** Request rates of the steady clients, and load of the attackers. */
export interface LoadProfile {
  /** Interval of heartbeats, manifest requests and play reports of one device, milliseconds. */
  heartbeatMs: number;
  manifestMs: number;
  playMs: number;
  /** Interval of requests of the reader and the writer, milliseconds. */
  readMs: number;
  writeMs: number;
  /** Milliseconds until the disk is first filled, between fills, and for which it stays full. */
  diskFirstMs: number;
  diskEveryMs: number;
  diskFullMs: number;
  diskMiB: number;
  attack: AttackLoad;
}

/** Content of one attack burst; bursts are sent once a second. */
export interface AttackLoad {
  pairingStarts: number;
  wrongKeys: number;
  wrongUpgrades: number;
  /** Connections held without a request. */
  held: number;
  /** Concurrent uploads. */
  uploads: number;
  /** Rules of one schedule. */
  rules: number;
  /** Interval of schedules with giant rules, milliseconds. */
  rulesEveryMs: number;
  /** Interval of malformed bodies, milliseconds. */
  oddBodyMs: number;
}

/** The long trial. 100 devices at this rate send as many requests as about 400 that only send a heartbeat a minute. */
export const LONG_PROFILE: LoadProfile = {
  heartbeatMs: 15_000,
  manifestMs: 15_000,
  playMs: 10_000,
  readMs: 700,
  writeMs: 3_000,
  diskFirstMs: 30_000,
  diskEveryMs: 60_000,
  diskFullMs: 15_000,
  diskMiB: 512,
  attack: {
    pairingStarts: 100,
    wrongKeys: 60,
    wrongUpgrades: 20,
    held: 600,
    uploads: 6,
    rules: 500,
    rulesEveryMs: 6_000,
    oddBodyMs: 250,
  },
};

/**
 * The short trial: a few seconds, alongside other tests. It takes minutes on a busy machine, so a device keeps within its
 * 120 requests a minute.
 */
export const SHORT_PROFILE: LoadProfile = {
  heartbeatMs: 1_500,
  manifestMs: 3_000,
  playMs: 1_200,
  readMs: 700,
  writeMs: 2_100,
  diskFirstMs: 1_000,
  diskEveryMs: 60_000,
  // Longer than the interval at which the cloud checks its disk.
  diskFullMs: 5_500,
  diskMiB: 64,
  attack: {
    pairingStarts: 20,
    wrongKeys: 15,
    wrongUpgrades: 5,
    held: 60,
    uploads: 2,
    rules: 50,
    rulesEveryMs: 1_000,
    oddBodyMs: 500,
  },
};
