import type { FastifyInstance } from 'fastify';
import type { Clock } from '../domain/clock.ts';
import { LINGER_MS } from './close-after.ts';

/** A refused body up to this size is read to its end: the connection stays whole, and can be used again. */
const DRAINED_BYTES = 4 * 1_048_576;

/**
 * Lets an answer reach a client that is still sending: closing at once would reset the connection under its
 * hands, and all that it saw would be a broken pipe.
 */
export function addLingering(app: FastifyInstance, clock: Clock): void {
  app.addHook('onSend', async (request, reply) => {
    const { raw } = request;
    if (raw.complete || raw.destroyed) return;
    void reply.removeHeader('connection');
    const { socket } = raw;
    const answeredAtBytes = socket.bytesRead;
    raw.on('data', () => {
      // Not read any further, the client comes to a halt, and the answer is all that there is to do. Merely paused, the
      // request would go on to hold what comes, and parts of one byte take a hundred times their size.
      if (socket.bytesRead - answeredAtBytes > DRAINED_BYTES) raw.push = () => false;
    });
    // Whatever was reading it has given up. It is thrown away from now on, whether the answer is taken or not.
    raw.unpipe();
    raw.resume();
    reply.raw.once('finish', () => {
      if (raw.complete || raw.destroyed) return;
      const cancel = clock.setTimer(LINGER_MS, () => socket.destroy());
      raw.once('close', cancel);
      raw.once('end', cancel);
    });
  });
}
