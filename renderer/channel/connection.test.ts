import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import type { WebSocket as Peer } from 'ws';

test('connects on import, reports an earlier open event to a later listener, and reconnects', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/channel' });
  onTestFinished(() => {
    for (const peer of server.clients) {
      peer.terminate();
    }
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  vi.stubGlobal('location', { host: `127.0.0.1:${port}` });
  onTestFinished(() => void vi.unstubAllGlobals());

  const connected = once(server, 'connection');
  const { connect } = await import('./connection.ts');
  const [peer]: Peer[] = await connected;
  const answered = once(peer!, 'pong');
  peer!.ping();
  await answered;

  const received: string[] = [];
  const listen = () =>
    new Promise<void>((resolve) => {
      connect({
        open() {
          received.push('open');
          resolve();
        },
        message: (data) => void received.push(String(data)),
        close: (code) => void received.push(`close ${code}`),
      });
    });
  await listen();
  expect(server.clients.size, 'the connection that was there').toBe(1);
  expect(received).toEqual(['open']);
  await listen();
  expect(server.clients.size).toBe(2);
  expect(received).toEqual(['open', 'open']);
});
