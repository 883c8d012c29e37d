import { sql } from 'kysely';
import type { Target } from '@placard/schedule';
import type { Db } from './open-database.ts';
import { countRows, slicesOf } from './paging.ts';
import { toTargetColumns } from './schedules.ts';

export function deploymentRepository(db: Db) {
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
    /** The deployment that holds each target now. */
    async listByTarget(): Promise<
      { kind: Target['type']; ref: string; deployment_id: string; playlist_id: string; created_at: number }[]
    > {
      return db
        .selectFrom('deployment_targets')
        .innerJoin('deployments', 'deployments.id', 'deployment_targets.deployment_id')
        .select([
          'deployment_targets.kind',
          'deployment_targets.ref',
          'deployment_targets.deployment_id',
          'deployments.playlist_id',
          'deployments.created_at',
        ])
        .execute();
    },
    async removeTarget(kind: 'device' | 'store', ref: string): Promise<void> {
      await db.deleteFrom('deployment_targets').where('kind', '=', kind).where('ref', '=', ref).execute();
      await deleteWithoutTargets();
    },
  };
}
