import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createAddresses } from './addresses.ts';
import { createConnections, DEFAULT_CONNECTION_LIMITS } from './connections.ts';

test('the body of a GET is thrown away at once, though its answer is not there yet', async () => {
  const connections = createConnections({
    clock: { nowMs: () => 0, setTimer: () => () => undefined },
    addresses: createAddresses([]),
    limits: DEFAULT_CONNECTION_LIMITS,
    log: pino({ enabled: false }),
  });
  const server = createServer();
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const asked: IncomingMessage[] = [];
  connections.watch(server, (request) => asked.push(request));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // `listen` with a port gives an address with a port.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void client.destroy());
  client.write('GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n');
  client.write(Buffer.alloc(1_000_000));
  await vi.waitFor(() => expect(asked[0]?.complete).toBe(true), { timeout: 20_000 });
});
