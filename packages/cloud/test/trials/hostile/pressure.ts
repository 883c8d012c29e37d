/** How often the steady side asks, and how hard the hostile side presses. */
export interface Pressure {
  /** Milliseconds between two heartbeats, manifests and plays of one screen. */
  heartbeatMs: number;
  manifestMs: number;
  playMs: number;
  /** Milliseconds between two requests of the Read client, and of the client that writes. */
  readMs: number;
  writeMs: number;
  /** Milliseconds until the disk is filled at first, from one full disk to the next, and that it stays full. */
  diskFirstMs: number;
  diskEveryMs: number;
  diskFullMs: number;
  diskMiB: number;
  attack: AttackPressure;
}

/** What one burst of the hostile side holds; a burst is once a second, all of it at once. */
export interface AttackPressure {
  pairingStarts: number;
  wrongKeys: number;
  wrongUpgrades: number;
  /** Connections that are held without ever asking for anything. */
  held: number;
  /** Uploads on their way at the same time. */
  uploads: number;
  /** Rules of one schedule. */
  rules: number;
  /** Milliseconds from one schedule of giant rules to the next. */
  rulesEveryMs: number;
  /** Milliseconds between two odd bodies. */
  oddBodyMs: number;
}

/** The hostile hour. 100 screens at this pace ask as often as some 400 that only tell of themselves once a minute. */
export const LONG: Pressure = {
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

/** The same in seconds, beside other tests on the same machine. */
export const SHORT: Pressure = {
  heartbeatMs: 1_000,
  manifestMs: 1_500,
  playMs: 700,
  readMs: 700,
  writeMs: 2_100,
  diskFirstMs: 1_000,
  diskEveryMs: 60_000,
  // Longer than the cloud goes without looking at its disk.
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
