import type { Figure } from '../figures.ts';
import { median } from '../median.ts';
import type { Settings } from '../settings.ts';

const ROUNDS = 12;
/** Of the usual duration: many short rounds, because the speed of a shared machine changes within seconds. */
const PART = 1 / 3;
/**
 * Times the usual duration, before the first round: most of the code is compiled then. In the first seconds the compiler takes
 * up to a fifth of the time.
 */
const WARM_UP = 2;
/** Times the CPU time of the bare server. */
const GOAL = 2.5;

export interface HeartbeatServers<Server> {
  /** Returns what it gets, or parses it. */
  bare: Server;
  /** Also stores it. */
  storing: Server;
  ours: Server;
}

export interface HeartbeatRounds<Server> {
  /** As the figures say it: `over HTTP`. */
  way: string;
  /** What the bare servers are: `bare node:http`, `node:http and raw SQLite`. */
  names: { bare: string; storing: string };
  servers: HeartbeatServers<Server>;
  /** Sends as many heartbeats as are answered for `ms`; resolves with the CPU time of the server for each, in microseconds. */
  atFullSpeed: (server: Server, ms: number) => Promise<number>;
  /** The same at the rate of 100,000 screens. */
  paced: (server: Server, ms: number) => Promise<number>;
}

/** Measures all servers in turn, after a warm-up. */
export async function measureHeartbeatRounds<Server>(
  settings: Settings,
  { way, names, servers, atFullSpeed, paced }: HeartbeatRounds<Server>,
): Promise<Figure[]> {
  const { bare, storing, ours } = servers;
  for (const server of [bare, storing, ours]) {
    await atFullSpeed(server, settings.ms * WARM_UP);
  }
  const ms = settings.ms * PART;
  const rounds: Record<'bare' | 'storing' | 'ours' | 'pacedBare' | 'pacedOurs', number>[] = [];
  for (let round = 0; round < settings.rounds(ROUNDS); round++) {
    rounds.push({
      bare: await atFullSpeed(bare, ms),
      storing: await atFullSpeed(storing, ms),
      ours: await atFullSpeed(ours, ms),
      pacedBare: await paced(bare, ms),
      pacedOurs: await paced(ours, ms),
    });
  }
  const medianOf = (name: keyof (typeof rounds)[number]) => median(rounds.map((round) => round[name]));
  return [
    {
      name: `heartbeat ${way}, server CPU`,
      ours: medianOf('ours'),
      unit: 'µs',
      limit: { name: names.bare, value: medianOf('bare') },
      goal: GOAL,
    },
    {
      name: '… beside one that stores them',
      ours: medianOf('ours'),
      unit: 'µs',
      limit: { name: names.storing, value: medianOf('storing') },
      goal: null,
    },
    {
      name: '… at the rate of 100,000 screens',
      ours: medianOf('pacedOurs'),
      unit: 'µs',
      limit: { name: names.bare, value: medianOf('pacedBare') },
      goal: GOAL,
    },
  ];
}
