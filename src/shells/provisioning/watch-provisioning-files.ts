import process from 'node:process';
import { createSystemClock } from '../../adapters/clock/system-clock.ts';
import type { Clock } from '../../core/ports.ts';
import { sha256Hex, readUntrustedFile } from './untrusted-file.ts';
import { isPaired } from './stored-pins.ts';
import { findProvisioningFiles } from './locations.ts';
import type { ProvisioningLocation } from './locations.ts';
import { readProvisioningState } from './provisioning-state.ts';

const POLL_INTERVAL_MS = 5_000;

/** One fingerprint of path and content for every `placard.json` of this machine. */
export const fingerprintProvisioningFiles = (location: ProvisioningLocation): ReadonlySet<string> =>
  new Set(readProvisioningFiles(location).map(({ fingerprint }) => fingerprint));

function readProvisioningFiles(
  location: ProvisioningLocation,
): { path: string; hash: string; fingerprint: string }[] {
  return findProvisioningFiles(location).flatMap((path) => {
    const text = readUntrustedFile(path);
    if (text === null) {
      return [];
    }
    const hash = sha256Hex(text);
    return [{ path, hash, fingerprint: `${path} ${hash}` }];
  });
}

/**
 * Resolves with the path of a new `placard.json` that was not imported before, or with null when the signal aborts.
 * A paired player waits for the signal: it imports files only at its start, where PIN attempts are counted.
 */
export async function waitForNewProvisioningFile(
  deps: ProvisioningLocation & {
    initialFingerprints: ReadonlySet<string>;
    clock: Pick<Clock, 'sleep'>;
    signal: AbortSignal;
  },
): Promise<string | null> {
  const { initialFingerprints, clock, signal, dataDir } = deps;
  for (;;) {
    await clock.sleep(POLL_INTERVAL_MS, signal);
    if (signal.aborted) {
      return null;
    }
    if (isPaired(dataDir)) {
      continue;
    }
    const found = readProvisioningFiles(deps).find(
      ({ fingerprint, hash }) =>
        !initialFingerprints.has(fingerprint) && !readProvisioningState(dataDir).seen.includes(hash),
    );
    if (found) {
      return found.path;
    }
  }
}

/** The same on this machine, with the system clock. */
export const watchForNewSettings =
  (dataDir: string, initialFingerprints: ReadonlySet<string>) =>
  (signal: AbortSignal): Promise<string | null> =>
    waitForNewProvisioningFile({
      dataDir,
      platform: process.platform,
      initialFingerprints,
      clock: createSystemClock({ lastGoodMs: null }),
      signal,
    });
