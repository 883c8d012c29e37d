import { anyAddress } from './scene.ts';
import type { Ask, Scene } from './scene.ts';

/** As much hardware as fits into a body without a key. */
const hardware = {
  model: 'Box',
  network_interfaces: Array.from({ length: 60 }, (_, n) => ({
    name: `eth${n}`,
    kind: 'wired',
    mac: null,
    addresses: Array.from({ length: 16 }, () => 'x'.repeat(100)),
    ssid: null,
  })),
};

/** A flood of screens that want to be paired: from everywhere, with much to tell, and with the serials of others. */
export async function pairingFlood(scene: Scene): Promise<void> {
  const { orders, chance } = scene;
  let n = 0;
  const start = (more: object, from: string): Ask => ({
    attack: 'pairing starts',
    method: 'POST',
    path: '/v1/player/pairing',
    from,
    json: { serial: `FLOOD-${n++}`, platform: 'linux', player_version: '1', ...more },
  });
  const next = (): Ask => {
    const screen = chance.pick(orders.screens);
    switch (chance.int(5)) {
      case 0:
        return start({ serial: screen.serial }, screen.address);
      case 1:
        return start({ serial: screen.serial, screen_secret: 's'.repeat(43) }, anyAddress(chance));
      case 2:
        return start({}, '127.0.0.1');
      case 3:
        return {
          attack: 'pairing polls',
          method: 'POST',
          path: `/v1/player/pairing/pair_01kzgm8q2c7d0vqk3m4a5b6c7d/token`,
          from: anyAddress(chance),
          json: { poll_token: 'x'.repeat(43) },
        };
      default:
        return start({ hardware, hostname: 'h'.repeat(253) }, anyAddress(chance));
    }
  };
  while (await scene.pause(1000)) {
    scene.did(`${orders.pressure.pairingStarts} pairing starts at once`);
    for (let i = 0; i < orders.pressure.pairingStarts; i++) void scene.ask(next());
  }
}
