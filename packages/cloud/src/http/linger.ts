import type { FastifyInstance } from 'fastify';
import type { Clock } from '../domain/clock.ts';
import { LINGER_MS } from './close-after.ts';

/**
 * Lets an answer reach a client that is still sending: closing at once would reset the connection under its
 * hands, and all that it saw would be a broken pipe.
 */
export function addLingering(app: FastifyInstance, clock: Clock): void {
  app.addHook('onSend', async (request, reply) => {
    const { raw } = request;
    if (raw.complete || raw.destroyed) return;
    void reply.removeHeader('connection');
    // Whatever was reading it has given up. From now on it is thrown away, also while the answer is not taken: held, parts
    // of one byte would take a hundred times their size.
    raw.unpipe();
    raw.resume();
    reply.raw.once('finish', () => {
      if (raw.complete || raw.destroyed) return;
      // A body that comes to its end leaves the connection whole, to be used again.
      const cancel = clock.setTimer(LINGER_MS, () => raw.socket.destroy());
      raw.once('close', cancel);
      raw.once('end', cancel);
    });
  });
}
