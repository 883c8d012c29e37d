import { operationsOf } from '@placard/protocol/api';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { openTestDatabase } from '../../test/support/open-test-database.ts';
import { buildOpenApi } from '../http/openapi.ts';
import { ApiError } from '../domain/api-error.ts';
import { NO_EDIT_TRACING } from '../domain/edit-tracing.ts';
import { NO_MEASUREMENTS } from '../domain/measurements.ts';
import { pagedResult, route, UNAUTHENTICATED } from './operation-route.ts';
import { createHttpServer } from './server.ts';

const url = 'https://signage.example.com';
const things = operationsOf('Things')('listThings', 'GET', '/v1/things', {
  summary: 'List things',
  access: 'Public',
  data: z.array(z.string()),
  list: 'page',
  query: z.strictObject({ fail: z.string().optional() }),
  deprecated: {
    since: '2027-01-01T00:00:00Z',
    sunset: '2028-07-01T12:00:00Z',
    documentation: '/docs#tag/Things',
    instead: '`GET /v2/things`',
  },
  example: { data: [] },
});

async function startServer() {
  const clock = createManualClock();
  const app = createHttpServer({
    database: await openTestDatabase({ clock }),
    clock,
    authenticator: {
      authenticateRequest: async () => UNAUTHENTICATED,
      authenticateUpgrade: async () => '',
      recognizeDevice: () => null,
    },
    connections: {
      watch() {},
      startBodyDeadline() {},
      recordBodyBytes() {},
      markAuthenticated() {},
      markStream() {},
      async sweep() {},
    },
    headersTimeoutMs: 10_000,
    disk: { requireSpaceFor() {}, markFull() {} },
    log: pino({ level: 'silent' }),
    newId: (kind) => kind,
    recordAudit: (change) => change,
    runDry: async () => ({ data: null }),
    requireStoreAccess: async () => {},
    measurements: NO_MEASUREMENTS,
    tracing: NO_EDIT_TRACING,
    routes: [
      route(things, async ({ query }) => {
        if (query.fail !== undefined) {
          throw new ApiError('CONFLICT', 'It failed.');
        }
        return pagedResult(['a'], 1, { page: 1, limit: 20 });
      }),
    ],
    corsOrigins: [],
    trustProxies: [],
    publicUrl: () => url,
    isHttps: () => false,
    isDraining: () => false,
    addOtherRoutes() {},
  });
  onTestFinished(() => app.close());
  return app;
}

test('every response of a deprecated operation says since when, until when and where to read more', async () => {
  const app = await startServer();
  const link = `<${url}/docs#tag/Things>; rel="deprecation"; type="text/html"`;
  const dates = { deprecation: '@1798761600', sunset: 'Sat, 01 Jul 2028 12:00:00 GMT' };
  const { headers } = await app.inject('/v1/things');
  expect(headers).toMatchObject(dates);
  expect(headers.link).toContain(link);
  expect(headers.link, 'the pages are still linked').toContain('rel="first"');
  const failed = await app.inject('/v1/things?fail=yes');
  expect(failed.statusCode).toBe(409);
  expect(failed.headers).toMatchObject({ ...dates, link });
});

test('the description marks a deprecated operation, its headers and what to use instead', () => {
  const { paths } = buildOpenApi([things], { version: '1.0.0', url });
  expect(paths).toMatchObject({
    '/v1/things': {
      get: {
        deprecated: true,
        description: expect.stringContaining(
          'Deprecated since 2027-01-01; may be removed after 2028-07-01. Use `GET /v2/things` instead.',
        ),
        responses: {
          200: {
            headers: {
              Deprecation: { schema: { type: 'string' } },
              Sunset: { schema: { type: 'string' } },
            },
          },
        },
      },
    },
  });
});

test('an operation cannot end before it is deprecated', () => {
  const define = operationsOf('Things');
  const deprecated = {
    since: '2027-01-02T00:00:00Z',
    sunset: '2027-01-01T00:00:00Z',
    documentation: '/docs',
    instead: 'nothing',
  };
  const definition = { summary: 'Get', access: 'Public', data: z.string(), example: { data: '' } } as const;
  expect(() => define('getThing', 'GET', '/v1/thing', { ...definition, deprecated })).toThrow(
    'getThing: sunset is before since',
  );
});
