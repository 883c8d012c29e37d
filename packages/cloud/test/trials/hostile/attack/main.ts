import { setMaxListeners } from 'node:events';
import { constants, setPriority } from 'node:os';
import { createSeededRandom } from '../../../../../../test/support/seeded-random.ts';
import { giantRules } from './giant-rules.ts';
import { holdConnections } from './open-connections.ts';
import { uploadDamagedMedia } from './media.ts';
import { attackConfig as attackConfigSchema } from './messages.ts';
import type { AttackerMessage } from './messages.ts';
import { sendOddBodies } from './odd-bodies.ts';
import { floodPairing } from './pairing.ts';
import { createAttackContext } from './attack-context.ts';
import { guessKeys } from './wrong-keys.ts';

// Real attackers run on other machines; here they must not take CPU time from the cloud.
setPriority(constants.priority.PRIORITY_LOW);

const sendToParent = (message: AttackerMessage) => {
  if (process.connected) {
    process.send?.(message);
  }
};
const stopping = new AbortController();
// Every pending request adds a listener.
setMaxListeners(0, stopping.signal);
process.once('disconnect', () => process.exit());

process.once('message', (message: unknown) => {
  const config = attackConfigSchema.parse(message);
  const context = createAttackContext({
    config,
    random: createSeededRandom(config.seed),
    signal: stopping.signal,
    logActivity: (what) => sendToParent({ type: 'started', atMs: Date.now(), what }),
    onFirstCount: (attack) => sendToParent({ type: 'counted', attack }),
  });
  const attacks = [uploadDamagedMedia, floodPairing, guessKeys, holdConnections, giantRules, sendOddBodies];
  process.once('message', () => stopping.abort());
  void runAttacks();

  async function runAttacks(): Promise<void> {
    await Promise.all(attacks.map((attack) => attack(context)));
    const finished: AttackerMessage = {
      type: 'finished',
      tally: context.tally,
      wrong: context.unexpectedResponses,
    };
    process.send?.(finished, () => process.exit());
  }
});
