import { Agent } from 'undici';
import { onTestFinished } from 'vitest';
import { createCloudLink, type CloudLinkDeps } from '../../src/adapters/cloud-link/cloud-link.ts';
import type { CloudLink, DeviceLink } from '../../src/core/ports.ts';
import { createManualClock } from './manual-clock.ts';
import { createQuietLog } from './quiet-log.ts';

/** What a box says of itself when it asks for a code. */
export const START = { serial: 'box-1', platform: 'linux', player_version: '1.0.0' };

/** The session that a fake cloud opens for it. */
export const SESSION = {
  pairingId: 'pair_1',
  pollToken: 'poll-secret',
  code: 'BCD-FGH',
  verificationUrl: '',
  verificationUrlComplete: '',
  expiresAtMs: 0,
  intervalMs: 1_000,
};

/** What a box says first on its socket. */
export const hello = () => ({
  type: 'hello' as const,
  protocol: 1,
  player_version: '1.0.0',
  manifest_revision: null,
  boot_id: 'boot-1',
});

/** The link of a player to this server; its connections end with the test. */
export function openLink(server: string, more: Partial<CloudLinkDeps> = {}): CloudLink {
  const dispatcher = more.dispatcher ?? new Agent();
  onTestFinished(() => dispatcher.destroy());
  return createCloudLink({
    server,
    playerVersion: '1.0.0',
    dispatcher,
    proxies: {},
    clock: createManualClock(),
    random: { next: () => 0 },
    onServerTime: () => {},
    log: createQuietLog(),
    ...more,
  });
}

/** Pairs with a fake cloud, and answers with the calls of the device. */
export async function pairWith(cloud: { confirm(): void }, link: CloudLink): Promise<DeviceLink> {
  const { signal } = new AbortController();
  await link.startPairing(START, signal);
  cloud.confirm();
  const answer = await link.pollPairing(SESSION, signal);
  if (answer.kind !== 'paired') throw new Error(`not paired but ${answer.kind}`);
  return link.device(answer.identity.deviceToken);
}
