import fastify from 'fastify';
import pino from 'pino';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { ApiError } from '../domain/api-error.ts';
import { addPages } from './pages.ts';

test('without a build a page says what to run, and an address that no page has is not found', async () => {
  const app = fastify();
  app.setErrorHandler((error, _request, reply) =>
    reply.send(error instanceof ApiError ? { code: error.code, message: error.message } : {}),
  );
  const folders = { console: tempDir(), docs: tempDir() };
  addPages(app, { log: pino({ level: 'silent' }), mediaOrigin: () => '', folders });
  const ask = async (path: string) => (await app.inject(path)).json();
  expect(await ask('/devices')).toEqual({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('build:cloud'),
  });
  expect(await ask('/nowhere')).toMatchObject({ code: 'ROUTE_NOT_FOUND' });
});
