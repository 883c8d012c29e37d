import { randomBytes, randomUUID } from 'node:crypto';
import { Fault } from '@placard/protocol';
import { operations } from '@placard/protocol/api';
import { Agent } from 'undici';
import { createCloudLink } from '../../../src/adapters/cloud-link/cloud-link.ts';
import { backoffMs } from '../../../src/core/backoff.ts';
import type { CloudLink, Random } from '../../../src/core/ports.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { systemClock } from '../clock.ts';
import { Refusal } from '../cloud-api/api.ts';
import type { CloudApi } from '../cloud-api/api.ts';
import { PLAYER_VERSION } from '../player-version.ts';
import type { FleetFile, StartedPairing } from './fleet-file.ts';

/** Devices that are paired at the same time. */
const AT_ONCE = 8;
const RETRY = { baseMs: 1_000, capMs: 30_000 };

export interface PairFleetDeps {
  api: CloudApi;
  servers: readonly string[];
  /** Each has a limit of pairings; empty: the system chooses. */
  sourceAddresses: readonly string[];
  fleet: FleetFile;
  onProgress(paired: number, wanted: number): void;
}

/**
 * Pairs the devices from 0 to `count` - 1 that are not paired yet, as a technician does: start, enter the code, fetch the
 * token. Waits as long as the limits of the cloud require. What is paired when it is killed stays so.
 */
export async function pairFleet(deps: PairFleetDeps, count: number, signal: AbortSignal): Promise<void> {
  const { fleet } = deps;
  const missing = Array.from({ length: count }, (_, number) => number).filter(
    (number) => !fleet.devices.has(number),
  );
  const addresses = deps.sourceAddresses.length > 0 ? deps.sourceAddresses : [undefined];
  const agents = addresses.map(
    (localAddress) => new Agent({ connections: 2, ...(localAddress !== undefined && { localAddress }) }),
  );
  const random: Random = { next: Math.random, bytes: (length) => randomBytes(length) };
  /** Of each source address: one for each server. */
  const links = agents.map((dispatcher) =>
    deps.servers.map((server) =>
      createCloudLink({
        server,
        playerVersion: PLAYER_VERSION,
        dispatcher,
        clock: systemClock,
        random,
        onServerTime: () => {},
        onSecret: () => {},
        proxies: {},
        log: createRecordingLog(),
      }),
    ),
  );
  let serverTurn = 0;

  /** Repeats a request of a device, to one server after the other, until it is answered. */
  async function untilAnswered<T>(
    linksOfAddress: readonly CloudLink[],
    request: (link: CloudLink) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await request(linksOfAddress[serverTurn++ % linksOfAddress.length]!);
      } catch (error) {
        if (signal.aborted || !(error instanceof Fault) || error.retry === 'never') {
          throw error;
        }
        const waitMs =
          typeof error.retry === 'object' ? error.retry.afterMs : backoffMs(attempt, random.next(), RETRY);
        await systemClock.sleep(waitMs, signal);
      }
    }
  }

  async function start(
    linksOfAddress: readonly CloudLink[],
    number: number,
  ): Promise<StartedPairing & { code: string }> {
    const started = await untilAnswered(linksOfAddress, (link) =>
      link.startPairing(
        {
          serial: `SIM-${number}-${randomUUID()}`,
          platform: 'linux',
          player_version: PLAYER_VERSION,
          screen_secret: randomBytes(32).toString('base64url'),
        },
        signal,
      ),
    );
    const pairing = { pairingId: started.pairing_id, pollToken: started.poll_token };
    fleet.addStarted(number, pairing);
    return { ...pairing, code: started.code };
  }

  /** The token of a confirmed pairing; null when it is not confirmed or has expired. */
  async function fetchToken(linksOfAddress: readonly CloudLink[], { pairingId, pollToken }: StartedPairing) {
    const unused = {
      code: '',
      verificationUrl: '',
      verificationUrlComplete: '',
      expiresAtMs: 0,
      intervalMs: 0,
    };
    const polled = await untilAnswered(linksOfAddress, (link) =>
      link.pollPairing({ ...unused, pairingId, pollToken }, signal),
    );
    return polled.kind === 'paired' ? polled.identity : null;
  }

  async function pair(linksOfAddress: readonly CloudLink[], number: number): Promise<void> {
    const before = fleet.started.get(number);
    let identity = before ? await fetchToken(linksOfAddress, before) : null;
    while (!identity) {
      signal.throwIfAborted();
      const started = await start(linksOfAddress, number);
      try {
        await deps.api.call(operations.pairDevice, {
          body: { code: started.code, name: `Simulated ${number}`, tags: ['simulated'] },
          idempotencyKey: started.pairingId,
        });
      } catch (error) {
        // Sent again after a lost answer, the code is used up; the poll tells.
        if (!(error instanceof Refusal && error.code === 'PAIRING_CODE_NOT_FOUND')) {
          throw error;
        }
      }
      identity = await fetchToken(linksOfAddress, started);
    }
    fleet.add({ number, id: identity.deviceId, token: identity.deviceToken });
    deps.onProgress(fleet.devices.size, count);
  }

  try {
    let turn = 0;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let number = missing.shift(); number !== undefined; number = missing.shift()) {
          signal.throwIfAborted();
          await pair(links[turn++ % links.length]!, number);
        }
      }),
    );
  } finally {
    await Promise.all(agents.map((agent) => agent.destroy()));
  }
}
