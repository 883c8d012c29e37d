import type { FastifyInstance } from 'fastify';
import type { Store } from '../../store/store.ts';

/** `/healthz`: the process answers. `/readyz`: it can also do its work. */
export function addProbes(app: FastifyInstance, { store }: { store: Pick<Store, 'ping'> }): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const ready = await store.ping().catch(() => false);
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'unavailable' });
  });
}
