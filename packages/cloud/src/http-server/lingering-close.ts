import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../domain/clock.ts';
import { LINGER_MS } from './reject-socket.ts';

/**
 * Lets a response reach a client that is still sending: closing at once would reset the connection, and the client
 * would see only a broken pipe.
 */
export function addLingeringClose(app: FastifyInstance, clock: Clock): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { raw } = request;
    if (!hasBody(raw) || raw.complete || raw.destroyed) {
      done();
      return;
    }
    // What the framework says would close the connection. Node says itself what becomes of it.
    if (reply.hasHeader('connection')) {
      void reply.removeHeader('connection');
    }
    // Node would close the connection of a client that asked for it, as many proxies do.
    const mustClose = !reply.raw.shouldKeepAlive;
    reply.raw.shouldKeepAlive = true;
    // The reader has stopped. Discard the rest of the body, also while the response is unread: buffered one-byte chunks
    // would take a hundred times their size.
    raw.unpipe();
    raw.resume();
    const closeIfAsked = () => mustClose && raw.socket.end();
    reply.raw.once('finish', () => {
      if (raw.complete || raw.destroyed) {
        closeIfAsked();
        return;
      }
      const cancel = clock.setTimer(LINGER_MS, () => raw.socket.destroy());
      raw.once('close', cancel);
      // In time; the connection stays usable.
      raw.once('end', () => {
        cancel();
        closeIfAsked();
      });
    });
    done();
  });
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
