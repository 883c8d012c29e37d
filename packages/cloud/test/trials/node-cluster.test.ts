import { expect, onTestFinished, test } from 'vitest';
import { createHttpClient } from './support/http-client.ts';
import { createApi } from './support/api.ts';
import { startNodeCluster } from './support/nodes/node-cluster.ts';
import type { ProxiedRequest } from './support/nodes/round-robin-proxy.ts';
import { pairDevice } from './support/paired-device.ts';
import { openPlayerSocket } from './support/player-socket.ts';
import { waitFor } from './support/wait-for.ts';

test('requests and sockets are spread over the nodes that are there', async () => {
  const requests: ProxiedRequest[] = [];
  const cluster = await startNodeCluster({ nodes: 2, onRequest: (request) => requests.push(request) });
  onTestFinished(() => cluster.stop());
  const client = createHttpClient({ url: cluster.url });
  onTestFinished(() => client.close());
  const api = createApi({ client, key: () => cluster.adminKey });
  const { token } = await pairDevice(api, 'spread', {}, '127.0.0.9');
  const nodesThatAnswered = () => new Set(requests.splice(0).map(({ node }) => node));
  expect(nodesThatAnswered()).toEqual(new Set([0, 1]));

  const socket = await openPlayerSocket(cluster.url, token);
  const [open] = cluster.proxy.sockets;
  expect(open).toEqual({ node: expect.any(Number), authorization: `Bearer ${token}` });
  requests.length = 0;
  await cluster.kill(open!.node);
  await waitFor('the socket is lost', () => socket.closed.aborted && cluster.proxy.sockets.size === 0);
  for (let count = 0; count < 4; count++) {
    expect(await client.sendRaw({ method: 'GET', path: '/healthz' })).toMatchObject({ status: 200 });
  }
  expect(nodesThatAnswered()).toEqual(new Set([1 - open!.node]));

  await cluster.restart(open!.node);
  await waitFor('both answer', async () => {
    await client.sendRaw({ method: 'GET', path: '/healthz' });
    return new Set(requests.map(({ node }) => node)).size === 2;
  });
  expect(cluster.nodes[open!.node]!.cpuMs()).toBeGreaterThan(0);
  (await openPlayerSocket(cluster.url, token)).close();
});
