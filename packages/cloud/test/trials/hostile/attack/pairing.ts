import { randomLoopbackAddress } from './attack-context.ts';
import type { AttackRequest, AttackContext } from './attack-context.ts';

/** The largest hardware description that fits into an unauthenticated body. */
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

/** Floods the cloud with pairing starts: from many addresses, with large hardware descriptions and stolen serials. */
export async function floodPairing(context: AttackContext): Promise<void> {
  const { config, random } = context;
  let n = 0;
  const start = (more: object, from: string): AttackRequest => ({
    attack: 'pairing starts',
    method: 'POST',
    path: '/v1/player/pairing',
    from,
    json: { serial: `FLOOD-${n++}`, platform: 'linux', player_version: '1', ...more },
  });
  const next = (): AttackRequest => {
    const screen = random.pick(config.screens);
    switch (random.below(5)) {
      case 0:
        return start({ serial: screen.serial }, screen.address);
      case 1:
        return start({ serial: screen.serial, screen_secret: 's'.repeat(43) }, randomLoopbackAddress(random));
      case 2:
        return start({}, '127.0.0.1');
      case 3:
        return {
          attack: 'pairing polls',
          method: 'POST',
          path: `/v1/player/pairing/pair_01kzgm8q2c7d0vqk3m4a5b6c7d/token`,
          from: randomLoopbackAddress(random),
          json: { poll_token: 'x'.repeat(43) },
        };
      default:
        return start({ hardware, hostname: 'h'.repeat(253) }, randomLoopbackAddress(random));
    }
  };
  while (await context.pause(1000)) {
    context.logActivity(`${config.pressure.pairingStarts} pairing starts at once`);
    for (let i = 0; i < config.pressure.pairingStarts; i++) {
      void context.sendRequest(next());
    }
  }
}
