import { createClient } from '@placard/client';
import { expect, test } from 'vitest';
import { openApiDocument } from '../scripts/generate-sources.ts';
import { methodNameOf, namespaceOf } from '../scripts/operation-names.ts';

const document = openApiDocument();

/** Calls every method of a client with made-up arguments, and lists the requests. */
async function callEverything(): Promise<Map<string, { hasKey: boolean; hasBody: boolean }>> {
  const requests = new Map<string, { hasKey: boolean; hasBody: boolean }>();
  const placard = createClient({
    server: 'https://signage.example.com',
    fetch: async (url, init) => {
      const { pathname } = new URL(url instanceof Request ? url.url : url);
      requests.set(`${init?.method} ${decodeURIComponent(pathname)}`, {
        hasKey: new Headers(init?.headers).has('idempotency-key'),
        hasBody: init?.body !== undefined,
      });
      return Response.json({ success: true, data: [], meta: { page: 1, limit: 100, total: 0 } });
    },
  });
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const { operationId, tags } of Object.values(methods)) {
      const namespace = namespaceOf(tags[0] ?? '');
      const name = methodNameOf(operationId, namespace);
      const method: unknown = Reflect.get(Reflect.get(placard, namespace), name);
      if (typeof method !== 'function') {
        throw new TypeError(`there is no method ${namespace}.${name}`);
      }
      const parameters = path.match(/\{\w+\}/g) ?? [];
      const result = method(...parameters, { name: 'x' });
      await (Symbol.asyncIterator in result ? result.page() : result);
    }
  }
  return requests;
}

test('every operation of the description has a method, which sends what the description says', async () => {
  const requests = await callEverything();
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, { parameters, requestBody }]) => [
      `${verb.toUpperCase()} ${path}`,
      {
        hasKey: parameters.some((each) => '$ref' in each && each.$ref.endsWith('/IdempotencyKey')),
        hasBody: requestBody !== undefined,
      },
    ]),
  );
  expect(Object.fromEntries(requests)).toEqual(Object.fromEntries(described));
  expect(requests.size).toBeGreaterThan(65);
});

test.each([
  ['listDevices', 'Devices', 'devices.list'],
  ['listApiKeys', 'API keys', 'apiKeys.list'],
  ['addPlaylistItem', 'Playlists', 'playlists.addItem'],
  ['listAuditLog', 'Audit log', 'auditLog.list'],
  ['getActiveSchedule', 'Devices', 'devices.getActiveSchedule'],
  ['listDeliveries', 'Webhooks', 'webhooks.listDeliveries'],
  ['rotateWebhookSecret', 'Webhooks', 'webhooks.rotateSecret'],
])('%s of %s is %s', (operationId, tag, name) => {
  const namespace = namespaceOf(tag);
  expect(`${namespace}.${methodNameOf(operationId, namespace)}`).toBe(name);
});
