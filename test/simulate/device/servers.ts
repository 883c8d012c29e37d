import { Agent } from 'undici';
import { createCloudLink } from '../../../src/adapters/cloud-link/cloud-link.ts';
import type { Clock, CloudLink } from '../../../src/core/ports.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { PLAYER_VERSION } from '../player-version.ts';

/** Connections of all devices of a process to one server for HTTP: one each would not fit into the process. */
const CONNECTIONS = 64;

/** One address of the cloud, as the devices of a process use it. */
export interface Server {
  url: string;
  link: CloudLink;
  agent: Agent;
}

export function createServers(
  urls: readonly string[],
  clock: Pick<Clock, 'monoMs' | 'sleep'>,
  localAddress: string | undefined,
): Server[] {
  return urls.map((url) => {
    const agent = new Agent({
      connections: CONNECTIONS,
      connect: { timeout: 10_000 },
      ...(localAddress !== undefined && { localAddress }),
    });
    const link = createCloudLink({
      server: url,
      playerVersion: PLAYER_VERSION,
      dispatcher: agent,
      clock,
      random: { next: Math.random },
      // The clocks of the devices are as wrong as the pattern says.
      onServerTime: () => {},
      onSecret: () => {},
      proxies: {},
      log: createRecordingLog(),
    });
    return { url, link, agent };
  });
}
