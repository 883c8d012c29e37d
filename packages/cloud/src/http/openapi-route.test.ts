import fastify from 'fastify';
import { expect, test } from 'vitest';
import { addOpenApi } from './openapi-route.ts';

test('the OpenAPI description is built once and cached until the public URL changes', async () => {
  const app = fastify();
  let url = 'http://a.example';
  const made: string[] = [];
  addOpenApi(app, {
    publicUrl: () => url,
    openApi(at) {
      made.push(at);
      return { servers: [at] };
    },
  });
  const ask = async () => (await app.inject('/openapi.json')).json();
  expect([await ask(), await ask()]).toEqual([{ servers: [url] }, { servers: [url] }]);
  url = 'http://b.example';
  expect(await ask()).toEqual({ servers: ['http://b.example'] });
  expect(made).toEqual(['http://a.example', 'http://b.example']);
  const headers = { 'accept-encoding': 'gzip, br' };
  const answer = await app.inject({ url: '/openapi.json', headers });
  expect(answer.headers['content-encoding']).toBe('br');
  const again = await app.inject({
    url: '/openapi.json',
    headers: { ...headers, 'if-none-match': answer.headers.etag },
  });
  expect([again.statusCode, again.body]).toEqual([304, '']);
});
