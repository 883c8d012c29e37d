import { MAX_FILE_BYTES, TUS_CHECKSUMS, TUS_EXTENSIONS, TUS_VERSION } from '@placard/protocol/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiError, validationError } from '../../domain/api-error.ts';
import { validationMessage } from '../../domain/validation-message.ts';

const PATH = '/v1/content/uploads';

/** Says what of tus is spoken (`OPTIONS`), and the version in every response about uploads. */
export function addTus(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith(PATH)) {
      void reply.header('tus-resumable', TUS_VERSION);
    }
    done();
  });
  for (const url of [PATH, `${PATH}/:id`]) {
    app.options(url, async (_request, reply) =>
      reply
        .code(204)
        .headers({
          'tus-version': TUS_VERSION,
          'tus-extension': TUS_EXTENSIONS.join(','),
          'tus-checksum-algorithm': TUS_CHECKSUMS.join(','),
          'tus-max-size': String(MAX_FILE_BYTES),
        })
        .send(),
    );
  }
}

export function requireTus({ headers }: FastifyRequest): void {
  if (headers['tus-resumable'] !== TUS_VERSION) {
    throw new ApiError(
      'TUS_VERSION_UNSUPPORTED',
      `Send the header Tus-Resumable: ${TUS_VERSION}; no other version of tus is known here.`,
      { headers: { 'tus-version': TUS_VERSION } },
    );
  }
}

/** The headers of the request that the schema describes. */
export function readHeaders<S extends z.ZodObject>(schema: S, { headers }: FastifyRequest): z.output<S> {
  const parsed = schema.safeParse(headers, { error: validationMessage });
  if (!parsed.success) {
    throw validationError(
      parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
    );
  }
  return parsed.data;
}
