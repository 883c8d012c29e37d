import { once } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { WebSocketServer, type WebSocket as Peer } from 'ws';

it('dials when it is read, hears an opening that came before anybody listened, and dials anew later', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/channel' });
  onTestFinished(() => {
    for (const peer of server.clients) peer.terminate();
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  vi.stubGlobal('location', { host: `127.0.0.1:${port}` });
  onTestFinished(() => void vi.unstubAllGlobals());

  const dialled = once(server, 'connection');
  const { connect } = await import('./connection.ts');
  const [peer]: Peer[] = await dialled;
  const answered = once(peer!, 'pong');
  peer!.ping();
  await answered;

  const heard: string[] = [];
  const listen = () =>
    new Promise<void>((resolve) => {
      connect({
        open() {
          heard.push('open');
          resolve();
        },
        message: (data) => void heard.push(String(data)),
        close: (code) => void heard.push(`close ${code}`),
      });
    });
  await listen();
  expect(server.clients.size, 'the connection that was there').toBe(1);
  expect(heard).toEqual(['open']);
  await listen();
  expect(server.clients.size).toBe(2);
  expect(heard).toEqual(['open', 'open']);
});
