import { assert } from '../support/contract-violation.ts';
import { openPlayerSocket } from '../support/player-socket.ts';
import { waitFor } from '../support/wait-for.ts';
import type { World } from './world.ts';

/** Keeps every device connected and checks that exactly the changed revisions are pushed. */
export interface PushObserver {
  /** Called after each step with the revisions from the API. */
  checkRevisions(revisions: ReadonlyMap<string, { revision: string }>): Promise<void>;
  close(): void;
}

export function createPushObserver(world: World): PushObserver {
  const { sockets } = world;
  return {
    async checkRevisions(revisions) {
      for (const [id, { token }] of world.model.devices) {
        if (!sockets.has(id)) {
          sockets.set(id, await openPlayerSocket(world.api.client.url, token));
        }
      }
      for (const [id, socket] of sockets) {
        const now = revisions.get(id);
        if (!now) {
          await waitFor(`the socket of ${id} closes after its removal`, () => socket.closeCode !== null);
          assert(
            socket.closeCode === 4401 && socket.messages.at(-1)?.type === 'unpaired',
            'a removed device got another close code',
            { code: socket.closeCode, messages: socket.messages },
          );
          sockets.delete(id);
          continue;
        }
        await waitFor(
          () => `${id} gets ${now.revision}; last messages ${JSON.stringify(socket.messages.slice(-3))}`,
          () => socket.knownRevision === now.revision,
          60_000,
          1,
        );
        assert(socket.closeCode === null, 'the socket of a device closed unexpectedly', socket.closeCode);
        const receivedRevisions = socket.messages.flatMap((one) =>
          one.type === 'welcome'
            ? [one.manifest_revision]
            : one.type === 'manifest_changed'
              ? [one.revision]
              : [],
        );
        assert(
          receivedRevisions.every((revision, index) => revision !== receivedRevisions[index - 1]),
          'a device got a push without a change',
          receivedRevisions,
        );
      }
    },
    close() {
      for (const socket of sockets.values()) {
        socket.close();
      }
    },
  };
}
