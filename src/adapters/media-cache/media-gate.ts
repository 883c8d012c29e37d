import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { Fault } from '@placard/protocol';
import { kindOfAddress, type AddressKind } from './address-kind.ts';

export interface MediaGateDeps {
  /** Address of the cloud. */
  server: string;
  /** All addresses of a name; the system tells unless a test does. */
  resolve?: (host: string, options: LookupOptions) => Promise<LookupAddress[]>;
}

/** Keeps files from being fetched from addresses that only this box, or the house that it stands in, can reach. */
export interface MediaGate {
  /** Throws `Fault` `asset.not_allowed` for an address that is refused by what is written in it. */
  check(url: string): Promise<void>;
  /** Resolves names for connections, and fails with `ENOTALLOWED` when one leads where it must not. */
  readonly lookup: LookupFunction;
}

export const NOT_ALLOWED = 'ENOTALLOWED';
/** A cloud may move while the player runs. */
const KNOWN_MS = 60_000;

/**
 * Public addresses are allowed, and such as the cloud's own is: one in the house may keep its files on another machine
 * of the house. The cloud's own host is always allowed, for it is spoken to anyway. Through a proxy only what is
 * written in an address is looked at, for the proxy resolves names.
 */
export function createMediaGate({ server, resolve = resolveBySystem }: MediaGateDeps): MediaGate {
  const own = new URL(server).hostname.replace(/^\[|\]$/g, '');
  let known: { kinds: Promise<ReadonlySet<AddressKind>>; atMs: number } | null = null;

  async function kindsOfOwn(): Promise<ReadonlySet<AddressKind>> {
    const addresses = isIP(own)
      ? [own]
      : (await resolve(own, {}).catch(() => [])).map(({ address }) => address);
    return new Set(addresses.map(kindOfAddress));
  }

  async function allows(address: string): Promise<boolean> {
    const kind = kindOfAddress(address);
    if (kind === 'public') return true;
    if (!known || performance.now() - known.atMs > KNOWN_MS)
      known = { kinds: kindsOfOwn(), atMs: performance.now() };
    const kinds = await known.kinds;
    // A cloud on this very box names itself by the address that it has in the house.
    return kinds.has(kind) || (kind === 'private' && kinds.has('loopback'));
  }

  const resolveAllowed = callbackify(async (hostname: string, options: LookupOptions) => {
    const addresses = await resolve(hostname, options);
    if (hostname === own) return addresses;
    // All of them: a name that points both outside and inside is up to something.
    for (const { address } of addresses) if (!(await allows(address))) throw notAllowed(hostname);
    return addresses;
  });

  return {
    async check(url) {
      const { protocol, hostname, host } = new URL(url);
      const bare = hostname.replace(/^\[|\]$/g, '');
      const isAllowed =
        (protocol === 'http:' || protocol === 'https:') &&
        (bare === own || isIP(bare) === 0 || (await allows(bare)));
      if (!isAllowed) throw new Fault('asset.not_allowed', 'later', { host });
    },
    lookup(hostname, options, callback) {
      resolveAllowed(hostname, options, (error, addresses) => {
        const [first] = error ? [] : addresses;
        if (!first) callback(error ?? notAllowed(hostname), []);
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      });
    },
  };
}

const resolveBySystem = (host: string, options: LookupOptions) => lookup(host, { ...options, all: true });

const notAllowed = (hostname: string) =>
  Object.assign(new Error(`${hostname} is not allowed`), { code: NOT_ALLOWED });
