import { randomBytes } from 'node:crypto';
import { anyAddress } from './scene.ts';
import type { Scene } from './scene.ts';

const ADDRESSES = 40;
const guess = (kind: 'plk' | 'pld') => `${kind}_${randomBytes(32).toString('base64url')}`;

/** Guesses keys and tokens, over HTTP and at the door of the socket; also from the address of steady screens. */
export async function wrongKeys(scene: Scene): Promise<void> {
  const { orders, chance } = scene;
  const addresses = ['127.0.0.1', ...Array.from({ length: ADDRESSES }, () => anyAddress(chance))];
  const upgrade = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  while (await scene.pause(1000)) {
    const { wrongKeys: keys, wrongUpgrades: upgrades } = orders.pressure;
    scene.did(`${keys} wrong keys and ${upgrades} wrong upgrades at once`);
    for (let i = 0; i < keys; i++) {
      const isKey = chance.once(2);
      void scene.ask({
        attack: 'wrong keys',
        method: 'GET',
        path: isKey ? '/v1/devices' : '/v1/player/manifest',
        key: chance.once(10) ? 'guess' : guess(isKey ? 'plk' : 'pld'),
        from: chance.pick(addresses),
      });
    }
    for (let i = 0; i < upgrades; i++)
      void scene.ask({
        attack: 'wrong upgrades',
        method: 'GET',
        path: '/v1/player/socket',
        key: guess('pld'),
        from: chance.pick(addresses),
        headers: upgrade,
      });
  }
}
