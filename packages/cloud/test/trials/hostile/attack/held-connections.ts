import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { Scene } from './scene.ts';

/** Addresses that they come from; a third of them are those of steady screens. */
const ADDRESSES = 20;
const DRIP_MS = 5_000;
/** How long our half of a connection stays after the cloud has closed its own. */
const HALF_OPEN_MS = 10_000;

const head = (line: string, ...headers: string[]) => [line, 'host: x', ...headers, '', ''].join('\r\n');
const UPGRADE = ['connection: upgrade', 'upgrade: websocket'];

/** What is sent at first, and whether it goes on byte by byte. */
const OPENINGS: Readonly<Record<string, { text: string; drips: boolean }>> = {
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

/** Opens connections and keeps them as long as the cloud lets it, never hanging up by itself. */
export async function heldConnections(scene: Scene): Promise<void> {
  const { orders, chance, port } = scene;
  const held = new Set<Socket>();
  const dripping = new Set<Socket>();
  const open = () => {
    const kind = chance.pick(Object.keys(OPENINGS));
    const { text, drips } = OPENINGS[kind]!;
    const localAddress = chance.once(3) ? '127.0.0.1' : `127.0.9.${1 + chance.int(ADDRESSES)}`;
    const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
    held.add(socket);
    if (drips) dripping.add(socket);
    if (kind === 'answers not read') socket.pause();
    else socket.resume();
    socket.on('error', () => socket.destroy());
    socket.on('end', () => setTimeout(() => socket.destroy(), HALF_OPEN_MS).unref());
    socket.on('close', () => {
      held.delete(socket);
      dripping.delete(socket);
      scene.count(kind, 'let go');
    });
    socket.once('connect', () => {
      scene.count(kind, 'opened');
      socket.write(text);
    });
  };
  const drip = setInterval(() => {
    for (const socket of dripping) if (socket.writable) socket.write('x');
  }, DRIP_MS);
  while (await scene.pause(500)) {
    const missing = orders.pressure.held - held.size;
    const some = Math.min(missing, Math.ceil(orders.pressure.held / 10));
    if (some > 0) scene.did(`${some} connections to be held`);
    for (let i = 0; i < some; i++) open();
  }
  clearInterval(drip);
  for (const socket of held) socket.destroy();
}
