import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createZoneTables } from '../../src/domain/zone-table.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createStore } from '../../src/store/store.ts';
import type { Store } from '../../src/store/store.ts';

/** A store on a database of its own, both gone after the test. Its clock stands still. */
export async function openTestStore(nowMs = 0): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'placard-store-'));
  const store = createStore({
    db: await openDatabase(folder),
    clock: { nowMs: () => nowMs, setTimer: () => () => {} },
    newId: (kind) => kind,
    hash: (text) => text,
    assetUrl: () => '',
    mediaHosts: () => [],
    zones: createZoneTables('unknown'),
    publish: () => {},
    disk: { requireRoom: () => {}, noteFull: () => {}, release: () => false },
  });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return store;
}
