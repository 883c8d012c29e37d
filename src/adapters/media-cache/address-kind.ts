import { BlockList, isIPv4 } from 'node:net';

/** Where an address leads: the internet, a private network, this machine, or somewhere files never come from. */
export type AddressKind = 'public' | 'private' | 'link_local' | 'loopback' | 'metadata' | 'reserved';

/** The narrowest ranges first: the first match decides. */
const RANGES: readonly (readonly [AddressKind, readonly string[]])[] = [
  ['metadata', ['169.254.169.254/32', '168.63.129.16/32', '100.100.100.200/32', 'fd00:ec2::254/128']],
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['link_local', ['169.254.0.0/16', 'fe80::/10']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']],
  [
    'reserved',
    [
      '0.0.0.0/8',
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.88.99.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '224.0.0.0/3',
      '::/96',
      '64:ff9b::/96',
      '64:ff9b:1::/48',
      '100::/64',
      '2001::/23',
      '2001:db8::/32',
      '2002::/16',
      'fec0::/10',
      'ff00::/8',
    ],
  ],
];

const LISTS = RANGES.map(([kind, ranges]) => {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', bits = ''] = range.split('/');
    list.addSubnet(net, Number(bits), isIPv4(net) ? 'ipv4' : 'ipv6');
  }
  return [kind, list] as const;
});

/** An IPv4-mapped address (`::ffff:10.0.0.1`) counts as its IPv4 address. */
export function kindOfAddress(address: string): AddressKind {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  const plain = mapped ?? address.replace(/%.*$/, '');
  const family = isIPv4(plain) ? 'ipv4' : 'ipv6';
  return LISTS.find(([, list]) => list.check(plain, family))?.[0] ?? 'public';
}
