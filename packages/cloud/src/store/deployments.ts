import { sql } from 'kysely';
import type { Target } from '../domain/reach.ts';
import type { Db } from './database.ts';
import { targetColumns } from './schedules.ts';

export function deploymentRepository(db: Db) {
  /** Of a deployment whose last target was taken over or went away nothing is shown any more. */
  const deleteUnheld = async (): Promise<void> => {
    await sql`delete from deployments where not exists
      (select 1 from deployment_targets where deployment_id = deployments.id)`.execute(db);
  };

  return {
    /** Writes a deployment down; it takes over each target from the one that held it. */
    async insert(
      row: { id: string; playlist_id: string; created_at: number },
      targets: readonly Target[],
    ): Promise<void> {
      await db.insertInto('deployments').values(row).execute();
      const held = { deployment_id: row.id, created_at: row.created_at };
      for (let start = 0; start < targets.length; start += 500)
        await db
          .insertInto('deployment_targets')
          .values(targets.slice(start, start + 500).map((target) => ({ ...targetColumns(target), ...held })))
          .onConflict((conflict) => conflict.columns(['kind', 'ref']).doUpdateSet(held))
          .execute();
      await deleteUnheld();
    },
    /** How many targets have a deployment. */
    async targets(): Promise<number> {
      const { n } = await db
        .selectFrom('deployment_targets')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return n;
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
      await deleteUnheld();
    },
  };
}
