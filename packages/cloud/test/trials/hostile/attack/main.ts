import { setMaxListeners } from 'node:events';
import { constants, setPriority } from 'node:os';
import { createChance } from '../../support/chance.ts';
import { giantRules } from './giant-rules.ts';
import { heldConnections } from './held-connections.ts';
import { damagedMedia } from './media.ts';
import { orders as ordersSchema } from './messages.ts';
import type { Told } from './messages.ts';
import { oddBodies } from './odd-bodies.ts';
import { pairingFlood } from './pairing.ts';
import { createScene } from './scene.ts';
import { wrongKeys } from './wrong-keys.ts';

// Hostile clients have machines of their own; here they must not take the processor from the cloud.
setPriority(constants.priority.PRIORITY_LOW);

const tell = (message: Told) => {
  if (process.connected) process.send?.(message);
};
const stopping = new AbortController();
// Every request under way listens to it.
setMaxListeners(0, stopping.signal);
process.once('disconnect', () => process.exit());

process.once('message', (message: unknown) => {
  const orders = ordersSchema.parse(message);
  const scene = createScene({
    orders,
    chance: createChance(orders.seed),
    signal: stopping.signal,
    send: (what) => tell({ type: 'did', atMs: Date.now(), what }),
  });
  const attacks = [damagedMedia, pairingFlood, wrongKeys, heldConnections, giantRules, oddBodies];
  process.once('message', () => stopping.abort());
  void act();

  async function act(): Promise<void> {
    await Promise.all(attacks.map((attack) => attack(scene)));
    const over: Told = { type: 'over', tally: scene.tally, wrong: scene.wrong };
    process.send?.(over, () => process.exit());
  }
});
