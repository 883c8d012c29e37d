import { must } from '../support/breach.ts';
import { openScreenSocket } from '../support/screen-socket.ts';
import type { ScreenSocket } from '../support/screen-socket.ts';
import { waitFor } from '../support/wait-for.ts';
import type { World } from './world.ts';

/** Every screen of a world stays connected; what it is told has to be what changed, and nothing else. */
export interface Pushes {
  /** After each move, with the revisions that the operator sees. */
  follow(revisions: ReadonlyMap<string, { revision: string }>): Promise<void>;
  close(): void;
}

export function createPushes(world: World): Pushes {
  const sockets = new Map<string, ScreenSocket>();
  return {
    async follow(revisions) {
      for (const [id, { token }] of world.model.devices)
        if (!sockets.has(id)) sockets.set(id, await openScreenSocket(world.api.client.url, token));
      for (const [id, socket] of sockets) {
        const now = revisions.get(id);
        if (!now) {
          await waitFor(`the socket of ${id} closes after its removal`, () => socket.closedWith !== null);
          must(
            socket.closedWith === 4401 && socket.messages.at(-1)?.type === 'unpaired',
            'a removed screen is told otherwise',
            { code: socket.closedWith, messages: socket.messages },
          );
          sockets.delete(id);
          continue;
        }
        await waitFor(
          () => `${id} is told of ${now.revision}; it knows ${JSON.stringify(socket.messages.slice(-3))}`,
          () => socket.revision === now.revision,
          60_000,
          1,
        );
        must(socket.closedWith === null, 'the socket of a screen closed by itself', socket.closedWith);
        const told = socket.messages.flatMap((one) =>
          one.type === 'welcome'
            ? [one.manifest_revision]
            : one.type === 'manifest_changed'
              ? [one.revision]
              : [],
        );
        must(
          told.every((revision, index) => revision !== told[index - 1]),
          'a screen was told of a change that is none',
          told,
        );
      }
    },
    close() {
      for (const socket of sockets.values()) socket.close();
    },
  };
}
