import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { Fault } from '@placard/protocol';
import { kindOfAddress } from './address-kind.ts';
import type { AddressKind } from './address-kind.ts';

/** Prevents downloads from addresses that only this device or its local network can reach (SSRF). */
export interface SsrfGuard {
  /** Throws `Fault` `asset.not_allowed` when the URL itself is forbidden. */
  check(url: string): Promise<void>;
  /** Resolves names for connections; fails with `ENOTALLOWED` when an address is forbidden. */
  readonly lookup: LookupFunction;
}

export const NOT_ALLOWED = 'ENOTALLOWED';
/** The address of the cloud may change while the player runs. */
const CLOUD_ADDRESS_CACHE_MS = 60_000;

/**
 * Allows public addresses and those of the same kind as the cloud's own: a cloud in a private network may keep its
 * files on another machine there. The cloud's own host is always allowed, because the player connects to it anyway.
 * Behind a proxy only the URL is checked, because the proxy resolves names.
 */
export function createSsrfGuard(deps: {
  /** Address of the cloud. */
  server: string;
  /** Resolves a host name to all its addresses; the system does by default. */
  resolve?: (host: string, options: LookupOptions) => Promise<LookupAddress[]>;
}): SsrfGuard {
  const { server, resolve = resolveBySystem } = deps;
  const cloudHost = new URL(server).hostname.replace(/^\[|\]$/g, '');
  let cloudKinds: { kinds: Promise<ReadonlySet<AddressKind>>; atMs: number } | null = null;

  async function resolveCloudKinds(): Promise<ReadonlySet<AddressKind>> {
    const addresses = isIP(cloudHost)
      ? [cloudHost]
      : (await resolve(cloudHost, {}).catch(() => [])).map(({ address }) => address);
    return new Set(addresses.map(kindOfAddress));
  }

  async function isAddressAllowed(address: string): Promise<boolean> {
    const kind = kindOfAddress(address);
    if (kind === 'public') {
      return true;
    }
    if (!cloudKinds || performance.now() - cloudKinds.atMs > CLOUD_ADDRESS_CACHE_MS) {
      cloudKinds = { kinds: resolveCloudKinds(), atMs: performance.now() };
    }
    const kinds = await cloudKinds.kinds;
    // A cloud on this machine may use the machine's private address in its URLs.
    return kinds.has(kind) || (kind === 'private' && kinds.has('loopback'));
  }

  const resolveAllowed = callbackify(async (hostname: string, options: LookupOptions) => {
    const addresses = await resolve(hostname, options);
    if (hostname === cloudHost) {
      return addresses;
    }
    // Checks all of them: a name that resolves to public and private addresses is suspicious.
    for (const { address } of addresses) {
      if (!(await isAddressAllowed(address))) {
        throw notAllowed(hostname);
      }
    }
    return addresses;
  });

  return {
    async check(url) {
      const { protocol, hostname, host } = new URL(url);
      const bareHost = hostname.replace(/^\[|\]$/g, '');
      const isAllowed =
        (protocol === 'http:' || protocol === 'https:') &&
        (bareHost === cloudHost || isIP(bareHost) === 0 || (await isAddressAllowed(bareHost)));
      if (!isAllowed) {
        throw new Fault('asset.not_allowed', 'later', { host });
      }
    },
    lookup(hostname, options, callback) {
      resolveAllowed(hostname, options, (error, addresses) => {
        const [first] = error ? [] : addresses;
        if (!first) {
          callback(error ?? notAllowed(hostname), []);
        } else if (options.all) {
          callback(null, addresses);
        } else {
          callback(null, first.address, first.family);
        }
      });
    },
  };
}

const resolveBySystem = (host: string, options: LookupOptions) => lookup(host, { ...options, all: true });

const notAllowed = (hostname: string) =>
  Object.assign(new Error(`${hostname} is not allowed`), { code: NOT_ALLOWED });
