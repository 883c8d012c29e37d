import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import ipaddr from 'ipaddr.js';
import { createNameResolver, lookUpBySystem } from './name-resolver.ts';
import type { NameResolver } from './name-resolver.ts';

export const ADDRESS_NOT_ALLOWED = 'EADDRNOTALLOWED';

// Azure's metadata service has a public address.
const METADATA_ADDRESSES = new Set(['168.63.129.16']);
const GLOBAL_UNICAST_V6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Decides which addresses this cloud connects to on behalf of a caller: public ones, and those on the operator's allow
 * list, `10.1.2.3` or `10.0.0.0/8`.
 */
export function createAddressGuard(
  allowList: readonly string[] = [],
  // Names that only the system resolver knows have local addresses, so it is used only with an allow list.
  nameResolver: NameResolver = createNameResolver({
    systemLookup: allowList.length > 0 ? lookUpBySystem : null,
  }),
) {
  const allowed = allowList.map((entry) =>
    entry.includes('/')
      ? ipaddr.parseCIDR(entry)
      : ([ipaddr.parse(entry), ipaddr.parse(entry).kind() === 'ipv4' ? 32 : 128] as const),
  );

  /** Checks one IP address, such as `10.0.0.1` or `::1`. */
  const allows = (text: string): boolean => {
    if (!ipaddr.isValid(text)) {
      return false;
    }
    // `::ffff:10.0.0.1` is 10.0.0.1.
    const address = ipaddr.process(text);
    if (allowed.some(([net, bits]) => net.kind() === address.kind() && address.match(net, bits))) {
      return true;
    }
    if (METADATA_ADDRESSES.has(address.toString()) || address.range() !== 'unicast') {
      return false;
    }
    return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST_V6);
  };

  const addressesOf = callbackify(nameResolver.resolve);
  /** Resolves a name and fails with `EADDRNOTALLOWED` when any of its addresses is not allowed. */
  const lookup: LookupFunction = (hostname, options, callback) =>
    addressesOf(hostname, (error, addresses) => {
      if (error) {
        callback(error, []);
        return;
      }
      // Check all addresses: a name that resolves to both public and private ones is suspicious.
      const forbidden = addresses.find(({ address }) => !allows(address));
      const [first] = addresses;
      if (forbidden || !first) {
        callback(
          Object.assign(new Error(`${hostname} is not a public address`), { code: ADDRESS_NOT_ALLOWED }),
          [],
        );
        return;
      }
      if (options.all) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });

  return {
    allows,
    lookup,
    /** False when the host of a URL is an IP address that is not allowed. */
    allowsHost(hostname: string): boolean {
      const bare = hostname.replace(/^\[|\]$/g, '');
      return !ipaddr.isValid(bare) || allows(bare);
    },
  };
}
