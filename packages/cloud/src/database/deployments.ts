import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { Target } from '@placard/schedule';
import type { Db } from './db.ts';
import type { ListQuery } from './list-part.ts';
import { countRows, findById, findNames, queryInBatches, selectPage, slicesOf, whereAll } from './paging.ts';
import type { Page } from './paging.ts';
import type { Row } from './schema.ts';
import { toTarget, toTargetColumns } from './schedules.ts';
import type { TargetColumns } from './schedules.ts';
import { concernsStores } from './targets-of-stores.ts';

/** A target, and what is deployed on it now. */
export interface DeploymentOfTarget extends TargetColumns {
  deployment_id: string;
  playlist_id: string;
  created_at: number;
}

export interface DeploymentQuery extends ListQuery {
  playlist_id?: string | undefined;
  /** At least one; only deployments that have one of these targets. */
  reaching?: readonly Target[] | undefined;
  /** Only deployments and targets that concern these stores. */
  stores?: readonly string[] | undefined;
}

export interface ListedDeployment extends Row<'deployments'> {
  playlist_name: string | null;
  targets: Target[];
}

export function deploymentRepository(db: Db) {
  const currentOf = () =>
    db
      .selectFrom('deployment_targets')
      .innerJoin('deployments', 'deployments.id', 'deployment_targets.deployment_id')
      .select([
        'deployment_targets.kind',
        'deployment_targets.ref',
        'deployment_targets.deployment_id',
        'deployments.playlist_id',
        'deployments.created_at',
      ]);
  const targets = () => db.selectFrom('deployment_targets').select(['kind', 'ref']);
  /** A deployment without targets is shown nowhere. */
  const deleteWithoutTargets = async (): Promise<void> => {
    await sql`delete from deployments where not exists
      (select 1 from deployment_targets where deployment_id = deployments.id)`.execute(db);
  };

  return {
    /** Stores a deployment; it replaces the previous deployment of each of its targets. */
    async insert(
      row: { id: string; playlist_id: string; created_at: number },
      targets: readonly Target[],
    ): Promise<void> {
      await db.insertInto('deployments').values(row).execute();
      const assignment = { deployment_id: row.id, created_at: row.created_at };
      for (const slice of slicesOf(targets, 500)) {
        await db
          .insertInto('deployment_targets')
          .values(slice.map((target) => ({ ...toTargetColumns(target), ...assignment })))
          .onConflict((conflict) => conflict.columns(['kind', 'ref']).doUpdateSet(assignment))
          .execute();
      }
      await deleteWithoutTargets();
    },
    countTargets: (): Promise<number> => countRows(db, 'deployment_targets'),
    /** The targets that have a deployed playlist, after `after` in the order of kind and ref. */
    async listAfter(after: TargetColumns | null, limit: number): Promise<DeploymentOfTarget[]> {
      return currentOf()
        .$if(after !== null, (query) =>
          query.where(
            sql<SqlBool>`(deployment_targets.kind, deployment_targets.ref) > (${after?.kind}, ${after?.ref})`,
          ),
        )
        .orderBy('deployment_targets.kind')
        .orderBy('deployment_targets.ref')
        .limit(limit)
        .execute();
    },
    /** The deployments that these targets have now. */
    async findByTargets(targets: readonly Target[]): Promise<DeploymentOfTarget[]> {
      const found: DeploymentOfTarget[] = [];
      for (const [kind, columns] of Map.groupBy(targets.map(toTargetColumns), (each) => each.kind)) {
        const refs = columns.map(({ ref }) => ref);
        found.push(
          ...(await queryInBatches(refs, (slice) =>
            currentOf()
              .where('deployment_targets.kind', '=', kind)
              .where('deployment_targets.ref', 'in', slice)
              .execute(),
          )),
        );
      }
      return found;
    },
    /** Deployments with their targets and the name of their playlist. */
    async list({
      playlist_id,
      reaching,
      stores,
      ...query
    }: DeploymentQuery): Promise<Page<ListedDeployment>> {
      const reached = reaching?.map(toTargetColumns).map(({ kind, ref }) => sql`(${kind}, ${ref})`);
      const concerns = concernsStores(stores);
      const page = await selectPage(db, 'deployments', query, {
        equal: { playlist_id },
        and: [
          ...(reached ? [sql<SqlBool>`(kind, ref) in (values ${sql.join(reached)})`] : []),
          ...concerns,
        ].map(
          (condition) =>
            sql<SqlBool>`id in (select deployment_id from deployment_targets where ${condition})`,
        ),
      });
      const ids = page.rows.map(({ id }) => id);
      const rows = await queryInBatches(ids, (slice) =>
        db
          .selectFrom('deployment_targets')
          .select(['deployment_id', 'kind', 'ref'])
          .where('deployment_id', 'in', slice)
          .where(whereAll({ and: concerns }))
          .orderBy('deployment_id')
          .orderBy('kind')
          .orderBy('ref')
          .execute(),
      );
      const targetsById = Map.groupBy(rows, (row) => row.deployment_id);
      const playlistIds = page.rows.map((row) => row.playlist_id);
      const names = await findNames(db, 'playlists', [...new Set(playlistIds)]);
      return {
        ...page,
        rows: page.rows.map((row) => ({
          ...row,
          playlist_name: names.get(row.playlist_id) ?? null,
          targets: (targetsById.get(row.id) ?? []).map(toTarget),
        })),
      };
    },
    find: (id: string) => findById(db, 'deployments', id),
    /** The targets that have this deployment now, all or those that concern these stores. */
    async targetsOf(id: string, stores?: readonly string[]): Promise<Target[]> {
      const rows = await targets()
        .where('deployment_id', '=', id)
        .where(whereAll({ and: concernsStores(stores) }))
        .orderBy('kind')
        .orderBy('ref')
        .execute();
      return rows.map(toTarget);
    },
    /** The targets on which the playlist is deployed. */
    async targetsOfPlaylist(playlistId: string): Promise<Target[]> {
      const rows = await targets()
        .where('deployment_id', 'in', (eb) =>
          eb.selectFrom('deployments').select('id').where('playlist_id', '=', playlistId),
        )
        .execute();
      return rows.map(toTarget);
    },
    async removeTarget(kind: 'device' | 'store', ref: string): Promise<void> {
      await db.deleteFrom('deployment_targets').where('kind', '=', kind).where('ref', '=', ref).execute();
      await deleteWithoutTargets();
    },
  };
}
