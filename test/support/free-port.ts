import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Systems take ports from 32768 on for outgoing connections and for servers that ask for any port: one of those that is free
 * now, or was freed for a restart, may belong to another process a moment later.
 */
const FIRST_PORT = 20_000;
const PORTS = 12_000;
/** Each worker of the tests has ports of its own; those outside of them share some. */
const BLOCKS = 16;
const BLOCK_SIZE = PORTS / BLOCKS;
const block = Number(process.env['VITEST_POOL_ID'] ?? 0) % BLOCKS;
/** Other runs may take place at the same time. */
let next = Math.floor(Math.random() * BLOCK_SIZE);

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** A port on the loopback interface that is unused, and that the system gives to nobody else. */
export async function freePort(): Promise<number> {
  for (let attempts = 0; attempts < BLOCK_SIZE; attempts++) {
    next = (next + 1) % BLOCK_SIZE;
    const port = FIRST_PORT + block * BLOCK_SIZE + next;
    if (await isFree(port)) {
      return port;
    }
  }
  throw new Error('no port was found');
}
