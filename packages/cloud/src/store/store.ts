import { setImmediate } from 'node:timers/promises';
import type { IdKind } from '@placard/protocol';
import { sql } from 'kysely';
import type { CloudEvent, Notice } from '../domain/events.ts';
import { storageTroubleOf } from '../domain/storage-trouble.ts';
import { createManifests } from '../domain/manifest.ts';
import type { Hash, Manifests } from '../domain/manifest.ts';
import { createTurns } from '../domain/turns.ts';
import { answerRepository } from './answers.ts';
import { apiKeyRepository } from './api-keys.ts';
import { auditRepository } from './audit-log.ts';
import { assetRepository } from './assets.ts';
import { commandRepository } from './commands.ts';
import type { Db } from './database.ts';
import type { DiskWatch } from './disk-watch.ts';
import { deploymentRepository } from './deployments.ts';
import { deviceRepository } from './devices.ts';
import { folderRepository } from './folders.ts';
import { heartbeatRepository } from './heartbeats.ts';
import { organizationRepository } from './organization.ts';
import { pairingRepository } from './pairings.ts';
import { createPauses } from './pauses.ts';
import { playlistRepository } from './playlists.ts';
import { presenceRepository } from './presence.ts';
import { playRepository } from './plays.ts';
import { scheduleRepository } from './schedules.ts';
import { storeRepository } from './stores.ts';
import { webhookRepository } from './webhooks.ts';
import { readWorld } from './world.ts';
import type { WorldDeps } from './world.ts';

function repositories(db: Db) {
  return {
    organization: organizationRepository(db),
    apiKeys: apiKeyRepository(db),
    assets: assetRepository(db),
    folders: folderRepository(db),
    playlists: playlistRepository(db),
    schedules: scheduleRepository(db),
    stores: storeRepository(db),
    devices: deviceRepository(db),
    pairings: pairingRepository(db),
    deployments: deploymentRepository(db),
    commands: commandRepository(db),
    heartbeats: heartbeatRepository(db),
    plays: playRepository(db),
    presence: presenceRepository(db),
    webhooks: webhookRepository(db),
    answers: answerRepository(db),
    audit: auditRepository(db),
  };
}

export type Repositories = ReturnType<typeof repositories>;

/** One unit of work: everything in it is committed together, or not at all. */
export interface Work extends Repositories {
  /**
   * Says whose screens the change may concern. Their revisions are computed anew before the commit, and
   * those that differ are pushed after it.
   */
  affects(whom: 'all' | { deviceId: string }): void;
  /** Computes the revisions of the affected devices now, for an answer that names them. */
  settle(): Promise<Manifests>;
  /** Tells those connected, after the commit. */
  announce(event: CloudEvent): void;
  /** Writes a notification for webhooks into this very transaction. */
  notify(notice: Notice): Promise<void>;
}

export interface Store extends Repositories {
  /**
   * `frees`: the change makes room, so it may use what is set aside for that; it is run again when it did not fit at
   * first. Any other change that does not fit is thrown: `storageTroubleOf` knows it.
   * `owner`: who may ask for many changes at once; they have their turns with those of others.
   */
  transaction<T>(
    run: (work: Work) => Promise<T>,
    how?: { frees?: boolean; owner?: string | null },
  ): Promise<T>;
  /** Derives manifests from the committed state; kept in memory until that changes. */
  manifests(): Promise<Manifests>;
  /** Gives back to the disk what the write-ahead log takes up, as far as that is possible now. */
  shrinkJournal(): Promise<void>;
  /** True when the database answers. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

export interface StoreDeps extends WorldDeps {
  db: Db;
  newId: (kind: IdKind) => string;
  hash: Hash;
  /** Called with what was announced, after the commit. */
  publish: (events: readonly CloudEvent[]) => void;
  disk: Pick<DiskWatch, 'requireRoom' | 'noteFull' | 'release'>;
}

export function createStore(deps: StoreDeps): Store {
  const { db, clock, disk } = deps;
  // Others have their turns in between, but what they ask the database waits until the transaction is over.
  const derive = async (from: Db, pause = createPauses()) =>
    createManifests(await readWorld(from, deps, pause), deps.hash);
  /** The manifests of a committed state, by its epoch. */
  let held: { epoch: number; manifests: Manifests } | null = null;
  let deriving: Promise<Manifests> | null = null;
  // Nothing in a change waits for the event loop: many of them in a row would be one long turn.
  const turns = createTurns(() => setImmediate());

  const once = async <T>(run: (work: Work) => Promise<T>): Promise<T> => {
    const events: CloudEvent[] = [];
    let settled: typeof held = null;
    const result = await db.transaction().execute(async (trx) => {
      const repos = repositories(trx);
      let all = false;
      const some = new Set<string>();

      const settle = async (): Promise<Manifests> => {
        if (all) await repos.organization.raiseEpoch();
        const { epoch } = await repos.organization.get();
        // A change of one device leaves the world as it was.
        const pause = createPauses();
        const manifests = held?.epoch === epoch ? held.manifests : await derive(trx, pause);
        settled = { epoch, manifests };
        const members = all
          ? await repos.devices.members()
          : (await Promise.all([...some].map((id) => repos.devices.members(id)))).flat();
        all = false;
        some.clear();
        const revisions = await manifests.revisionsOf(
          members.map(({ member }) => member),
          pause,
        );
        const changed = members.flatMap(({ member, revision: before }) => {
          const revision = revisions.get(member) ?? manifests.revisionOf(member);
          return revision === before ? [] : [{ id: member.id, revision }];
        });
        await repos.devices.setRevisions(changed);
        for (const { id, revision } of changed)
          events.push({ type: 'manifest_changed', deviceId: id, revision });
        return manifests;
      };

      const work: Work = {
        ...repos,
        affects(whom) {
          if (whom === 'all') all = true;
          else some.add(whom.deviceId);
        },
        settle,
        announce: (event) => void events.push(event),
        async notify(notice) {
          const queued = await repos.webhooks.enqueue(notice, () => deps.newId('delivery'), clock.nowMs());
          if (queued > 0) events.push({ type: 'deliveries' });
        },
      };
      const value = await run(work);
      if (all || some.size > 0) await settle();
      return value;
    });
    held = settled ?? held;
    deps.publish(events);
    return result;
  };

  return {
    ...repositories(db),
    transaction: (run, { frees = false, owner = null } = {}) =>
      turns.take(owner, async () => {
        if (!frees) disk.requireRoom();
        try {
          return await once(run);
        } catch (error) {
          if (storageTroubleOf(error) !== 'full') throw error;
          disk.noteFull();
          if (!frees || !disk.release()) throw error;
          return once(run);
        }
      }),
    async manifests() {
      const { epoch } = await db.selectFrom('organization').select('epoch').executeTakeFirstOrThrow();
      if (held?.epoch === epoch) return held.manifests;
      deriving ??= db
        .transaction()
        .execute(async (trx) => {
          const now = await trx.selectFrom('organization').select('epoch').executeTakeFirstOrThrow();
          // A change that this waited for may have derived them.
          if (held?.epoch !== now.epoch) held = { epoch: now.epoch, manifests: await derive(trx) };
          return held.manifests;
        })
        .finally(() => (deriving = null));
      return deriving;
    },
    async shrinkJournal() {
      await sql`pragma wal_checkpoint(truncate)`.execute(db).catch((error: unknown) => {
        if (storageTroubleOf(error) === null) throw error;
      });
    },
    async ping() {
      await db.selectFrom('organization').select('id').execute();
      return true;
    },
    close: () => db.destroy(),
  };
}
