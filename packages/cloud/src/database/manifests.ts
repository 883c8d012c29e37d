import { targetKey } from '@placard/schedule';
import type { Target } from '@placard/schedule';
import { createYieldIfLong } from '../event-loop/yield-if-long.ts';
import { createDeviceClasses } from '../domain/device-classes.ts';
import { createManifestBuilder } from '../domain/manifest-builder.ts';
import type { ManifestBuilder, ManifestDevice } from '../domain/manifest-builder.ts';
import { applyContentChange, emptyContent, touchedTargetKeys } from '../domain/manifest-content.ts';
import type { ContentChange, ManifestContent } from '../domain/manifest-content.ts';
import type { ConnectingDevices } from './connecting-devices.ts';
import { deviceRepository } from './devices.ts';
import type { ManifestChanges } from './manifest-changes.ts';
import { createManifestDevices } from './manifest-devices.ts';
import type { KeptDevice } from './manifest-devices.ts';
import { readAllContent, readContentChange } from './manifest-inputs.ts';
import type { ManifestInputsDeps, TouchedContent } from './manifest-inputs.ts';
import type { Db } from './db.ts';
import { organizationRepository } from './organization.ts';

/** What a transaction has changed, read at its end; for `commit` after it. */
export interface ManifestUpdate {
  content: { change: ContentChange; afterEpoch: number; epoch: number } | null;
  /** Devices with other settings, store or tags. */
  deviceIds: readonly string[];
  /** Devices with a target through which nothing reached them before; null when they are too many to list. */
  newlyReached: readonly string[] | null;
}

/** What was changed by transactions that are committed, for `refresh`. */
export interface ManifestRefresh {
  /** What all of them have touched, the number before the first of them, and that of the last. */
  content: { touched: TouchedContent; afterEpoch: number; epoch: number } | null;
  deviceIds: readonly string[];
}

/** Beyond these, all devices are read again when they are next asked for. */
const MAX_NEWLY_REACHED = 1000;
const MAX_NEW_TARGETS = 20;

/**
 * Manifests and their revisions. What they are built from is in memory, so that an edit reads nothing but what it has
 * touched, and a revision is derived when asked for, in 4 µs, unless it is still that of before. What a revision is derived from changes in `commit` alone,
 * right after the commit: a revision derived later is never an older one.
 */
export function createManifests({
  db,
  findDevices,
  ...deps
}: ManifestInputsDeps & {
  db: Db;
  /** Of the last commit. */
  findDevices: ConnectingDevices['findManifestDevices'];
}) {
  const classes = createDeviceClasses();
  const devices = createManifestDevices();
  /** Of the last committed state; null before the first use, and after `drop`. */
  let committed: { builder: ManifestBuilder; epoch: number } | null = null;
  let loading: Promise<ManifestBuilder> | null = null;
  /** Committed while loading, which may have read the state before or after them. */
  let missed: NonNullable<ManifestUpdate['content']>[] = [];
  let drops = 0;

  const builderOf = (content: ManifestContent) => createManifestBuilder(content, deps.hash, classes);

  const readAll = async (from: Db): Promise<ManifestContent> => {
    const all = await readAllContent(from, deps, createYieldIfLong());
    return applyContentChange(emptyContent(all.settings), all);
  };

  /** Not in a transaction: nobody else would be served. Changes that are committed meanwhile are applied afterwards. */
  const loadAll = async (): Promise<ManifestBuilder> => {
    for (;;) {
      const dropsBefore = drops;
      missed = [];
      let { epoch } = await organizationRepository(db).get();
      let content = await readAll(db);
      if (drops !== dropsBefore) {
        continue;
      }
      for (const update of missed) {
        content = applyContentChange(content, update.change);
        epoch = Math.max(epoch, update.epoch);
      }
      committed = { builder: builderOf(content), epoch };
      return committed.builder;
    }
  };

  const load = (): Promise<ManifestBuilder> => {
    if (committed) {
      return Promise.resolve(committed.builder);
    }
    return (loading ??= loadAll().finally(() => (loading = null)));
  };

  /** Everything is read again, because it may have changed in ways that no transaction has said. */
  const drop = (): void => {
    committed = null;
    drops += 1;
    devices.forgetAll();
  };

  const classify = (id: string): KeptDevice | null => {
    const found = devices.get(id);
    if (!found || !committed) {
      return null;
    }
    const deviceClass = committed.builder.inStore(found.deviceClass, found.storeId);
    return deviceClass === found.deviceClass ? found : devices.reclassify(found, deviceClass);
  };

  const derive = (id: string): string | null => {
    const device = classify(id);
    if (!device || !committed) {
      return null;
    }
    const { builder } = committed;
    const part = builder.partFor(device);
    if (device.derived?.part !== part.identity) {
      device.derived = { revision: builder.revisionIn(device, part), part: part.identity };
    }
    return device.derived.revision;
  };

  const readDevices = async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
    await load();
    const unread = ids.filter((id) => !devices.get(id));
    const read = devices.beginRead();
    let found: readonly ManifestDevice[] = [];
    try {
      found = await findDevices(unread);
    } finally {
      read.finish(committed ? found : [], (device) => committed!.builder.classOf(device));
    }
    const isUnread = new Set(unread);
    return new Set([...ids.filter((id) => !isUnread.has(id)), ...found.map(({ id }) => id)]);
  };

  /** The devices that something will reach through a target through which nothing did. */
  const readNewlyReached = async (
    trx: Db,
    change: ContentChange,
    deployedTargets: Iterable<Target>,
  ): Promise<string[] | null> => {
    if (!committed) {
      return null;
    }
    const { targets } = committed.builder.content;
    const added = [
      ...[...change.schedules.values()].flatMap((each) => (each?.isActive ? each.manifest.targets : [])),
      ...deployedTargets,
    ].filter((target) => !targets.has(targetKey(target)));
    if (added.filter((target) => target.type !== 'device').length > MAX_NEW_TARGETS) {
      return null;
    }
    const reached = await deviceRepository(trx).findReached(
      added,
      MAX_NEWLY_REACHED + 1,
      createYieldIfLong(),
    );
    return reached.length > MAX_NEWLY_REACHED ? null : reached;
  };

  const readTouched = async (trx: Db, touched: TouchedContent) => {
    const before = committed?.builder.content ?? null;
    const change = await readContentChange(trx, touched, before, deps, createYieldIfLong());
    const newlyReached = await readNewlyReached(trx, change, touched.deployedTargets.values());
    return { change, newlyReached };
  };

  const commit = ({ content, deviceIds, newlyReached }: ManifestUpdate): void => {
    for (const id of deviceIds) {
      devices.forget(id);
    }
    if (!content) {
      return;
    }
    if (loading) {
      missed.push(content);
    }
    if (!committed) {
      return;
    }
    if (content.afterEpoch > committed.epoch) {
      // Another process has written as well.
      drop();
      return;
    }
    const before = committed.builder.content;
    const after = applyContentChange(before, content.change);
    committed = { builder: builderOf(after), epoch: Math.max(committed.epoch, content.epoch) };
    const isNew = (key: string) => after.targets.has(key) && !before.targets.has(key);
    if (![...touchedTargetKeys(before, content.change)].some(isNew)) {
      return;
    }
    if (newlyReached) {
      for (const id of newlyReached) {
        devices.forget(id);
      }
    } else {
      devices.forgetAll();
    }
  };

  return {
    /** Builds manifests of the last committed state. */
    load,
    /**
     * The device's revision now; null until the device was read. Not a promise, so that what is told to a device is told in the order of the changes.
     */
    derive,
    /** The device with its class now; null until it was read. */
    classify,
    /** Reads the devices that are not in memory, for `derive` and `classify`; returns which of them exist. */
    readDevices,
    /** The manifest of a device with its revision; null when there is no such device. */
    async find(id: string): Promise<{ revision: string; json: () => Buffer[] } | null> {
      for (;;) {
        const device = classify(id);
        const revision = derive(id);
        if (device && revision !== null && committed) {
          const { builder } = committed;
          return { revision, json: () => builder.manifestJsonOf(device).json };
        }
        if (!(await readDevices([id])).has(id)) {
          return null;
        }
      }
    },
    /** Builds manifests of the state within a transaction, with its changes so far. */
    async builderIn(trx: Db, changes: ManifestChanges): Promise<ManifestBuilder> {
      if (!committed) {
        return builderOf(await readAll(trx));
      }
      if (!changes.hasContent()) {
        return committed.builder;
      }
      const { content } = committed.builder;
      const change = await readContentChange(trx, changes.content(), content, deps, createYieldIfLong());
      return builderOf(applyContentChange(content, change));
    },
    /** Reads at the end of a transaction what it has changed. */
    async readUpdate(trx: Db, changes: ManifestChanges): Promise<ManifestUpdate> {
      const deviceIds = changes.deviceIds();
      if (!changes.hasContent()) {
        return { content: null, deviceIds, newlyReached: [] };
      }
      const { change, newlyReached } = await readTouched(trx, changes.content());
      const epoch = await organizationRepository(trx).incrementEpoch();
      return { content: { change, afterEpoch: epoch - 1, epoch }, deviceIds, newlyReached };
    },
    /** Call right after the commit. */
    commit,
    /** Reads what committed transactions have changed, of any node. */
    async refresh({ content, deviceIds }: ManifestRefresh): Promise<void> {
      if (!content) {
        commit({ content: null, deviceIds, newlyReached: [] });
        return;
      }
      const { touched, ...epochs } = content;
      const { change, newlyReached } = await readTouched(db, touched);
      commit({ content: { change, ...epochs }, deviceIds, newlyReached });
    },
    drop,
  };
}

export type Manifests = ReturnType<typeof createManifests>;
