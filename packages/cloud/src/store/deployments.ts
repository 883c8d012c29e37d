import type { Target } from '../domain/reach.ts';
import type { Db } from './database.ts';
import { targetColumns } from './schedules.ts';

export function deploymentRepository(db: Db) {
  return {
    /** Writes a deployment down; it takes over each target from the one that held it. */
    async insert(
      row: { id: string; playlist_id: string; created_at: number },
      targets: readonly Target[],
    ): Promise<void> {
      await db.insertInto('deployments').values(row).execute();
      for (const target of targets) {
        const held = { deployment_id: row.id, created_at: row.created_at };
        await db
          .insertInto('deployment_targets')
          .values({ ...targetColumns(target), ...held })
          .onConflict((conflict) => conflict.columns(['kind', 'ref']).doUpdateSet(held))
          .execute();
      }
    },
    /** The deployment that holds each target now. */
    async held(): Promise<
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
    async forgetTarget(kind: 'device' | 'store', ref: string): Promise<void> {
      await db.deleteFrom('deployment_targets').where('kind', '=', kind).where('ref', '=', ref).execute();
    },
  };
}
