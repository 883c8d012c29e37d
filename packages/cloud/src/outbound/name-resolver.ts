import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ipaddr from 'ipaddr.js';
import { errorCode } from '../domain/error-details.ts';
import { createSerialQueue } from '../domain/serial-queue.ts';

/** Resolves host names. Fails with `ENOTFOUND` or `EAI_AGAIN`, like the system lookup. */
export interface NameResolver {
  resolve: (name: string) => Promise<LookupAddress[]>;
}

export interface NameResolverOptions {
  /** System lookup for names that name servers do not know, such as local names; null disables it. */
  systemLookup: ((name: string) => Promise<LookupAddress[]>) | null;
  hostsFile?: string;
  /** Name servers, such as `127.0.0.1:53`; by default those of the system. */
  servers?: readonly string[];
  /** Timeout of the first query. */
  timeoutMs?: number;
}

const HOSTS_FILE =
  process.platform === 'win32'
    ? join(process.env['SystemRoot'] ?? String.raw`C:\Windows`, 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';
/** Queued system lookups. */
const MAX_QUEUED_LOOKUPS = 100;

/** System lookup (getaddrinfo); blocks one of the few libuv threads until it returns. */
export const lookUpBySystem = (name: string): Promise<LookupAddress[]> => lookup(name, { all: true });

/**
 * Resolves names with the hosts file and name servers, without blocking a thread: the caller chooses the name, and so
 * how long its name server takes. The system lookup is last, one name at a time; when a name server did not respond, it
 * is used only for local names.
 */
export function createNameResolver({
  systemLookup,
  hostsFile = HOSTS_FILE,
  servers,
  timeoutMs = 2000,
}: NameResolverOptions): NameResolver {
  const systemQueue = createSerialQueue({
    maxWaiting: MAX_QUEUED_LOOKUPS,
    yieldToEventLoop: async () => undefined,
  });
  return {
    async resolve(name) {
      const hostsFileAddresses = addressesInHostsFile(
        await readFile(hostsFile, 'utf8').catch(() => ''),
        name,
      );
      if (hostsFileAddresses.length > 0) {
        return hostsFileAddresses;
      }
      // A new resolver each time, to pick up changes of the configured name servers.
      const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
      if (servers) {
        resolver.setServers(servers);
      }
      const lookupResults = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const found = lookupResults.flatMap((lookupResult, i) =>
        lookupResult.status === 'rejected'
          ? []
          : lookupResult.value.map((address) => ({ address, family: i === 0 ? 4 : 6 })),
      );
      if (found.length > 0) {
        return found;
      }
      const codes = lookupResults.map((lookupResult) =>
        lookupResult.status === 'rejected' ? errorCode(lookupResult.reason) : null,
      );
      const maySystemKnow = !codes.includes('ETIMEOUT') || isLocal(name);
      const systemResult = systemLookup && maySystemKnow ? systemQueue.run(() => systemLookup(name)) : null;
      if (systemResult) {
        return systemResult;
      }
      const isUnknown = codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA' || code === null);
      throw Object.assign(new Error(`${name} cannot be resolved`), {
        code: isUnknown ? 'ENOTFOUND' : 'EAI_AGAIN',
      });
    },
  };
}

/** Names that external name servers do not serve; in a closed network the configured ones may not respond. */
const isLocal = (name: string): boolean => {
  const plain = name.replace(/\.$/, '');
  return !plain.includes('.') || plain.endsWith('.local');
};

/** The addresses of a name in the text of a hosts file. */
function addressesInHostsFile(hosts: string, name: string): LookupAddress[] {
  const wanted = name.toLowerCase().replace(/\.$/, '');
  return hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/);
    if (!names.some((each) => each.toLowerCase() === wanted) || !ipaddr.isValid(address)) {
      return [];
    }
    return [{ address, family: ipaddr.parse(address).kind() === 'ipv4' ? 4 : 6 }];
  });
}
