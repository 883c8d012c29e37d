import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { AttackContext } from './attack-context.ts';

/** Source addresses; a third of them are also used by steady devices. */
const ADDRESSES = 20;
const SLOW_BYTE_INTERVAL_MS = 5_000;
/** How long our side stays open after the cloud has closed its side. */
const HALF_OPEN_MS = 10_000;

const head = (line: string, ...headers: string[]) => [line, 'host: x', ...headers, '', ''].join('\r\n');
const UPGRADE = ['connection: upgrade', 'upgrade: websocket'];

/** Initial data, and whether more is sent byte by byte. */
const CONNECTION_KINDS: Readonly<Record<string, { text: string; drips: boolean }>> = {
  'silent sockets': { text: '', drips: false },
  'half heads': { text: 'GET /healthz HTTP/1.1\r\nhost:', drips: true },
  'slow bodies': {
    text: `${head('POST /v1/player/pairing HTTP/1.1', 'content-type: application/json', 'content-length: 100000')}{"serial":"`,
    drips: true,
  },
  'chunked bodies': {
    text: `${head('POST /v1/player/pairing HTTP/1.1', 'content-type: application/json', 'transfer-encoding: chunked')}1\r\n{\r\n`,
    drips: false,
  },
  'held upgrades': { text: head('GET /v1/player/socket HTTP/1.1', ...UPGRADE), drips: false },
  'upgrades elsewhere': { text: head('GET /else HTTP/1.1', ...UPGRADE), drips: false },
  'no HTTP': { text: 'nonsense\r\n\r\n', drips: false },
  'answers not read': { text: head('GET /openapi.json HTTP/1.1').repeat(16), drips: false },
};

/** Opens connections and holds them until the cloud closes them. */
export async function holdConnections(context: AttackContext): Promise<void> {
  const { config, random, port } = context;
  const openSockets = new Set<Socket>();
  const slowSockets = new Set<Socket>();
  const openConnection = () => {
    const kind = random.pick(Object.keys(CONNECTION_KINDS));
    const { text, drips } = CONNECTION_KINDS[kind]!;
    const localAddress = random.oneIn(3) ? '127.0.0.1' : `127.0.9.${1 + random.below(ADDRESSES)}`;
    const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
    openSockets.add(socket);
    if (drips) {
      slowSockets.add(socket);
    }
    if (kind === 'answers not read') {
      socket.pause();
    } else {
      socket.resume();
    }
    socket.on('error', () => socket.destroy());
    socket.on('end', () => setTimeout(() => socket.destroy(), HALF_OPEN_MS).unref());
    socket.on('close', () => {
      openSockets.delete(socket);
      slowSockets.delete(socket);
      context.count(kind, 'let go');
    });
    socket.once('connect', () => {
      context.count(kind, 'opened');
      socket.write(text);
    });
  };
  const slowByteTimer = setInterval(() => {
    for (const socket of slowSockets) {
      if (socket.writable) {
        socket.write('x');
      }
    }
  }, SLOW_BYTE_INTERVAL_MS);
  while (await context.pause(500)) {
    const missing = config.pressure.held - openSockets.size;
    const newCount = Math.min(missing, Math.ceil(config.pressure.held / 10));
    if (newCount > 0) {
      context.logActivity(`${newCount} connections to be held`);
    }
    for (let i = 0; i < newCount; i++) {
      openConnection();
    }
  }
  clearInterval(slowByteTimer);
  for (const socket of openSockets) {
    socket.destroy();
  }
}
