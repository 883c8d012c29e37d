import { liveLogLines } from '@placard/protocol';
import { z } from 'zod';
import type { createEventBus } from './bus/event-bus.ts';
import type { CloudDatabase } from './database/cloud-database.ts';
import { liveAnswerRepository } from './database/live-answers.ts';
import type { Db } from './database/db.ts';
import type { Clock } from './domain/clock.ts';
import { createLiveRequests } from './domain/live-requests.ts';
import type { LiveEvent, LiveRequests, LiveResult } from './domain/live-requests.ts';
import { systemClock } from './system-clock.ts';

const result = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('picture'), image: z.string() }),
  z.object({ kind: z.literal('log_lines'), log: liveLogLines }),
  z.object({
    kind: z.literal('none'),
    reason: z.enum(['no_socket', 'player_too_old', 'no_answer', 'failed']),
    problem: z.string().nullable(),
  }),
]);

interface LiveSharingDeps {
  bus: Pick<ReturnType<typeof createEventBus>, 'publish'>;
  database: Pick<CloudDatabase, 'transaction'>;
  db: Db;
  clock: Clock;
  hasOtherNodes: boolean;
}

/**
 * Tells the nodes what somebody wants to see and what devices answer: this one in memory, and the others by messages. A message is
 * kept for minutes and read by all nodes, so an answer has a row of its own, which the next one replaces and only those nodes read
 * where somebody waits.
 */
export function createSharedLiveRequests({
  bus,
  database,
  db,
  clock,
  hasOtherNodes,
}: LiveSharingDeps): LiveRequests {
  const answers = liveAnswerRepository(db);
  const tell = async (event: LiveEvent): Promise<void> => {
    if (hasOtherNodes) {
      await database.transaction(async (tx) => tx.publishToOthers(event));
    }
  };
  return createLiveRequests({
    clock,
    // Nodes tell each other something in real time, even in tests.
    nodeClock: systemClock,
    async publish(event) {
      if (event.type === 'live_answered') {
        bus.publish([event]);
        if (hasOtherNodes) {
          await answers.keep(event.deviceId, event.wanted, JSON.stringify(event.result), clock.nowMs());
          await tell({ ...event, result: null });
        }
        return;
      }
      // A request first: the answer may arrive at another node, which takes it only if it knows of the request.
      await tell(event);
      bus.publish([event]);
    },
    async read(deviceId, wanted): Promise<LiveResult | null> {
      const answer = await answers.read(deviceId, wanted);
      return answer === null ? null : result.parse(JSON.parse(answer));
    },
  });
}
