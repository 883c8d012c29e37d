import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import ipaddr from 'ipaddr.js';
import { createRecentMap } from '../domain/recent-map.ts';

/** An address with a port, as some proxies write it: `192.0.2.1:443`, `[2001:db8::1]:443`. */
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+):\d+|\[(.+)\](?::\d+)?)$/;

/**
 * Groups of the addresses seen last: parsing takes as long as the rest of the authentication. Each of 100,000 devices may
 * have an address of its own, and they report in turn.
 */
const groups = createRecentMap<string, string>(110_000);
/** Longer ones are not addresses. */
const MAX_ADDRESS_LENGTH = 60;

/**
 * The group that a rate limit counts: an IPv4 address, also an IPv4-mapped one, or the /64 network of an IPv6 address,
 * because one household or server usually gets a /64.
 */
export function addressGroup(address = ''): string {
  const known = groups.get(address);
  if (known !== undefined) {
    return known;
  }
  const group = parseGroup(address);
  if (address.length <= MAX_ADDRESS_LENGTH) {
    groups.set(address, group);
  }
  return group;
}

function parseGroup(address: string): string {
  const [, v4, v6] = WITH_PORT.exec(address) ?? [];
  const bare = (v4 ?? v6 ?? address).split('%')[0] ?? '';
  if (!ipaddr.isValid(bare)) {
    return 'unknown';
  }
  const parsed = ipaddr.process(bare);
  if (parsed.kind() === 'ipv4') {
    return parsed.toString();
  }
  const network = parsed.toByteArray().slice(0, 8);
  return `${ipaddr.fromByteArray([...network, ...Array<number>(8).fill(0)]).toString()}/64`;
}

/** The /48 network that a /64 group is part of (usually one site); null for any other group. */
export function ipv6SiteOf(group: string): string | null {
  if (!group.endsWith('/64')) {
    return null;
  }
  const site = ipaddr.parse(group.slice(0, -'/64'.length)).toByteArray().slice(0, 6);
  return `${ipaddr.fromByteArray([...site, ...Array<number>(10).fill(0)]).toString()}/48`;
}

export interface ClientAddresses {
  /** The address group of a request; read from `X-Forwarded-For` when it came from a trusted proxy. */
  clientOf: (request: IncomingMessage) => string;
  /** True for a trusted proxy: its connections belong to many clients. */
  isTrustedProxy: (address: string | undefined) => boolean;
}

/** Finds client addresses, directly or behind trusted reverse proxies. */
export function createClientAddresses(trustProxies: readonly string[]): ClientAddresses {
  const trust = proxyAddr.compile([...trustProxies]);
  return {
    clientOf: (request) => addressGroup(proxyAddr(request, trust)),
    isTrustedProxy: (address) => address !== undefined && trust(address, 0),
  };
}
