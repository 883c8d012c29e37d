import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import ipaddr from 'ipaddr.js';

/** What the header of a proxy adds to an address: `192.0.2.1:443`, `[2001:db8::1]:443`. */
const PORT = /^(?:(\d+\.\d+\.\d+\.\d+):\d+|\[(.+)\](?::\d+)?)$/;

/**
 * Whom a limit counts for: an IPv4 address, also one written as IPv6, or the /64 network of an IPv6 address,
 * for a network of that size is what one household or one server gets.
 */
export function addressGroup(address: string | undefined): string {
  const [, v4, v6] = PORT.exec(address ?? '') ?? [];
  const bare = (v4 ?? v6 ?? address ?? '').split('%')[0] ?? '';
  if (!ipaddr.isValid(bare)) return 'unknown';
  const parsed = ipaddr.process(bare);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = parsed.toByteArray().slice(0, 8);
  return `${ipaddr.fromByteArray([...network, ...Array<number>(8).fill(0)]).toString()}/64`;
}

/** The /48 network that a /64 is part of, which is what one site gets; null for anything else. */
export function siteOf(group: string): string | null {
  if (!group.endsWith('/64')) return null;
  const site = ipaddr.parse(group.slice(0, -'/64'.length)).toByteArray().slice(0, 6);
  return `${ipaddr.fromByteArray([...site, ...Array<number>(10).fill(0)]).toString()}/48`;
}

export interface Addresses {
  /** Whom a request counts for; with `X-Forwarded-For` when it came from a trusted proxy. */
  of: (request: IncomingMessage) => string;
  /** True for a proxy that is trusted: its connections are those of many. */
  isProxy: (address: string | undefined) => boolean;
}

/** Where requests come from, behind reverse proxies that are believed or without any. */
export function createAddresses(trustProxies: readonly string[]): Addresses {
  const trust = proxyAddr.compile([...trustProxies]);
  return {
    of: (request) => addressGroup(proxyAddr(request, trust)),
    isProxy: (address) => address !== undefined && trust(address, 0),
  };
}
