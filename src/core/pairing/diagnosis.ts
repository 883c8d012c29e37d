import { FAULTS } from '@placard/protocol';
import type { NetworkInterface } from '../ports.ts';
import { EARLIEST_MS } from '../time/corrected-time.ts';
import type { PairingProblem } from './pairing.ts';

export interface Surroundings {
  server: string;
  interfaces: readonly NetworkInterface[];
  /** Milliseconds since 1970 by this box. */
  wallMs: number;
}

const LINK_LOCAL = /^(169\.254\.|fe80:)/i;

/**
 * What keeps this screen from a code, for the person who stands before it: the first step on the way to the cloud
 * that does not hold (link, address, name, connection, clock, certificate, server), with what to do.
 */
export function diagnose(problem: PairingProblem, around: Surroundings): string {
  const host = around.server.replace(/^\w+:\/\//, '').replace(/\/.*$/, '');
  if (problem.code === 'cloud.unreachable') {
    const addresses = around.interfaces.flatMap((one) => one.addresses);
    if (addresses.length === 0) return 'This box has no network. Plug in the cable or join a Wi-Fi network.';
    if (addresses.every((address) => LINK_LOCAL.test(address))) {
      return 'The network gives this box no address. Check the router (DHCP) or set a fixed address.';
    }
    switch (problem.reason ?? '') {
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        return `The name ${host} cannot be found. Check the server address, and the DNS of this network.`;
      case 'ECONNREFUSED':
        return `${host} refuses the connection. Check that the cloud runs and that the port is right.`;
      case 'ENETUNREACH':
      case 'EHOSTUNREACH':
        return `There is no way from this network to ${host}. Check the gateway and the firewall.`;
      default:
        return `${host} does not answer. Check the server address, and that a firewall lets it through.`;
    }
  }
  if (problem.code === 'cloud.tls' && around.wallMs < EARLIEST_MS) {
    const date = new Date(around.wallMs).toISOString().slice(0, 10);
    return `This box believes that it is ${date}, so no certificate is valid. Set its date and time.`;
  }
  return FAULTS[problem.code].help;
}
