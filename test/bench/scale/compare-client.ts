import type { Figure } from '../figures.ts';
import { median } from '../median.ts';
import type { NodesResult } from './run-nodes.ts';
import type { ClientResult } from './single-client.ts';

const medianOf = <T extends object>(rounds: readonly T[], key: keyof T): number =>
  median(rounds.map((round) => Number(round[key])));

/** Figures of some rounds on three nodes beside those of one client with the same statements. */
export function compareWithClient(
  what: string,
  nodes: readonly NodesResult[],
  client: readonly ClientResult[],
): Figure[] {
  const each = (key: keyof NodesResult) => medianOf(nodes, key);
  const ofClient = (key: keyof ClientResult) => medianOf(client, key);
  const sender = (each('perSecond') * each('senderMicrosEach')) / 1e6;
  return [
    {
      name: `${what}, three nodes`,
      ours: each('perSecond'),
      unit: '/s',
      limit: { name: 'one PostgreSQL client', value: ofClient('perSecond') },
      goal: 0.5,
      isMoreBetter: true,
      detail: `${each('batch').toFixed(0)} in a transaction; sending took ${(100 * sender).toFixed(0)} % of a core`,
    },
    {
      name: '… for a second of CPU of nodes and PostgreSQL',
      ours: 1e6 / (each('nodeMicrosEach') + each('postgresMicrosEach')),
      unit: '/s',
      limit: {
        name: 'client and PostgreSQL',
        value: 1e6 / (ofClient('clientMicrosEach') + ofClient('postgresMicrosEach')),
      },
      goal: null,
    },
    { name: '… CPU of the nodes', ours: each('nodeMicrosEach'), unit: 'µs', limit: null, goal: null },
    {
      name: '… CPU of PostgreSQL',
      ours: each('postgresMicrosEach'),
      unit: 'µs',
      limit: { name: 'for the client', value: ofClient('postgresMicrosEach') },
      goal: null,
    },
    { name: '… write-ahead log', ours: each('walBytesEach'), unit: 'bytes', limit: null, goal: null },
  ];
}
