import { Agent } from 'undici';
import { onTestFinished } from 'vitest';
import { createCloudLink } from '../../src/adapters/cloud-link/cloud-link.ts';
import type { CloudLinkDeps } from '../../src/adapters/cloud-link/cloud-link.ts';
import type { CloudLink, DeviceLink } from '../../src/core/ports.ts';
import { createManualClock } from './manual-clock.ts';
import { createRecordingLog } from './recording-log.ts';

/** What a player sends when it requests a pairing code. */
export const PAIRING_REQUEST = { serial: 'box-1', platform: 'linux', player_version: '1.0.0' };

/** The pairing session that a fake cloud opens for it. */
export const PAIRING_SESSION = {
  pairingId: 'pair_1',
  pollToken: 'poll-secret',
  code: 'BCD-FGH',
  verificationUrl: '',
  verificationUrlComplete: '',
  expiresAtMs: 0,
  intervalMs: 1_000,
};

/** The first message of a player on its socket. */
export const helloMessage = () => ({
  type: 'hello' as const,
  protocol: 1,
  player_version: '1.0.0',
});

/** The cloud link of a player to this server; its connections are closed at the end of the test. */
export function openCloudLink(server: string, overrides: Partial<CloudLinkDeps> = {}): CloudLink {
  const dispatcher = overrides.dispatcher ?? new Agent();
  onTestFinished(() => dispatcher.destroy());
  return createCloudLink({
    server,
    playerVersion: '1.0.0',
    dispatcher,
    proxies: {},
    clock: createManualClock(),
    random: { next: () => 0 },
    onServerTime: () => {},
    onSecret: () => {},
    log: createRecordingLog(),
    ...overrides,
  });
}

/** Pairs with a fake cloud, and returns the link of the device. */
export async function pairDevice(cloud: { confirmPairing(): void }, link: CloudLink): Promise<DeviceLink> {
  const { signal } = new AbortController();
  await link.startPairing(PAIRING_REQUEST, signal);
  cloud.confirmPairing();
  const poll = await link.pollPairing(PAIRING_SESSION, signal);
  if (poll.kind !== 'paired') {
    throw new Error(`expected the poll to return paired, got ${poll.kind}`);
  }
  return link.createDeviceLink(poll.identity.deviceToken);
}
