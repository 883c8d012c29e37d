import { randomBytes } from 'node:crypto';
import { randomLoopbackAddress } from './attack-context.ts';
import type { AttackContext } from './attack-context.ts';

const ADDRESSES = 40;
const guess = (kind: 'plk' | 'pld') => `${kind}_${randomBytes(32).toString('base64url')}`;

/** Guesses keys and tokens, over HTTP and in socket handshakes; also from the address of steady devices. */
export async function guessKeys(context: AttackContext): Promise<void> {
  const { config, random } = context;
  const addresses = ['127.0.0.1', ...Array.from({ length: ADDRESSES }, () => randomLoopbackAddress(random))];
  const upgrade = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  while (await context.pause(1000)) {
    const { wrongKeys: keys, wrongUpgrades: upgrades } = config.pressure;
    context.logActivity(`${keys} wrong keys and ${upgrades} wrong upgrades at once`);
    for (let i = 0; i < keys; i++) {
      const isKey = random.oneIn(2);
      void context.sendRequest({
        attack: 'wrong keys',
        method: 'GET',
        path: isKey ? '/v1/devices' : '/v1/player/manifest',
        key: random.oneIn(10) ? 'guess' : guess(isKey ? 'plk' : 'pld'),
        from: random.pick(addresses),
      });
    }
    for (let i = 0; i < upgrades; i++) {
      void context.sendRequest({
        attack: 'wrong upgrades',
        method: 'GET',
        path: '/v1/player/socket',
        key: guess('pld'),
        from: random.pick(addresses),
        headers: upgrade,
      });
    }
  }
}
