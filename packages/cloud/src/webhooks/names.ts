import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ipaddr from 'ipaddr.js';
import { codeOf } from '../domain/error-facts.ts';
import { createOneAtATime } from '../domain/one-at-a-time.ts';

/** Finds the addresses of names. Fails with `ENOTFOUND` or `EAI_AGAIN`, as the lookup of the system does. */
export interface Names {
  addressesOf: (name: string) => Promise<LookupAddress[]>;
}

export interface NamesDeps {
  /** Asks the system for what name servers do not know: names of a local network. Null: nobody is asked. */
  system: ((name: string) => Promise<LookupAddress[]>) | null;
  hostsFile?: string;
  /** Name servers, as `127.0.0.1:53`; those of the system by default. */
  servers?: readonly string[];
  /** The first time that is waited for an answer. */
  timeoutMs?: number;
}

const HOSTS_FILE =
  process.platform === 'win32'
    ? join(process.env['SystemRoot'] ?? String.raw`C:\Windows`, 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';
/** Names that wait for the system. */
const MOST_WAITING = 100;

/** The lookup of the system: it holds one of the few threads of this process until it has its answer. */
export const lookUpBySystem = (name: string): Promise<LookupAddress[]> => lookup(name, { all: true });

/**
 * Looks names up in the hosts file and at name servers, without a thread that would wait: whoever chooses a name also
 * chooses how long its name server takes. The system is asked last, for one name at a time, and never for a name whose
 * name server gave no answer, but for local ones.
 */
export function createNames({ system, hostsFile = HOSTS_FILE, servers, timeoutMs = 2000 }: NamesDeps): Names {
  const alone = createOneAtATime({ mostWaiting: MOST_WAITING, pause: async () => undefined });
  return {
    async addressesOf(name) {
      const own = addressesIn(await readFile(hostsFile, 'utf8').catch(() => ''), name);
      if (own.length > 0) return own;
      // A new one each time: it reads which name servers there are.
      const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
      if (servers) resolver.setServers(servers);
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const found = answers.flatMap((answer, i) =>
        answer.status === 'rejected'
          ? []
          : answer.value.map((address) => ({ address, family: i === 0 ? 4 : 6 })),
      );
      if (found.length > 0) return found;
      const codes = answers.map((answer) => (answer.status === 'rejected' ? codeOf(answer.reason) : null));
      const answered = !codes.includes('ETIMEOUT') || isLocal(name);
      const asked = system && answered ? alone.run(() => system(name)) : null;
      if (asked) return asked;
      const isUnknown = codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA' || code === null);
      throw Object.assign(new Error(`${name} has no address, or none that could be found out`), {
        code: isUnknown ? 'ENOTFOUND' : 'EAI_AGAIN',
      });
    },
  };
}

/** Names for which no name server of a stranger is asked: in a closed network the ones that are set may not answer. */
const isLocal = (name: string): boolean => {
  const plain = name.replace(/\.$/, '');
  return !plain.includes('.') || plain.endsWith('.local');
};

/** The addresses of a name in a hosts file: lines of an address and its names, with comments. */
function addressesIn(hosts: string, name: string): LookupAddress[] {
  const wanted = name.toLowerCase().replace(/\.$/, '');
  return hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/);
    if (!names.some((each) => each.toLowerCase() === wanted) || !ipaddr.isValid(address)) return [];
    return [{ address, family: ipaddr.parse(address).kind() === 'ipv4' ? 4 : 6 }];
  });
}
