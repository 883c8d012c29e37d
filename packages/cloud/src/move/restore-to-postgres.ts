import { auditRepository } from '../database/audit-log.ts';
import type { NewAuditEntry } from '../database/audit-log.ts';
import { organizationRepository } from '../database/organization.ts';
import type { Clock } from '../domain/clock.ts';
import { errorMessage } from '../domain/error-details.ts';
import { StartupError } from '../domain/startup-error.ts';
import { compareRows, copyRows } from './move-rows.ts';
import { openSource } from './move-source.ts';
import type { MoveTarget } from './move-target.ts';
import { createProgress, describeDuration } from './progress.ts';
import { openSqliteFile } from './sqlite-file.ts';
import { MOVED_TABLES } from './tables.ts';

export interface PostgresRestore {
  /** The database of the backup, which may be of an older version, and is changed. */
  file: string;
  target: MoveTarget;
  /** Written when all is there. */
  entry: NewAuditEntry;
  /** Of its media from now on. */
  mediaId: string;
  clock: Clock;
  report: (line: string) => void;
}

/**
 * Copies the database of a backup to PostgreSQL and compares both. A cloud does not start on a part; the next run with the
 * same backup continues.
 */
export async function restoreToPostgres({
  file,
  target,
  entry,
  mediaId,
  clock,
  report,
}: PostgresRestore): Promise<void> {
  const advice = 'restore it with that version';
  (await openSqliteFile(file, { place: 'The database in the backup', advice })).close();
  const source = openSource(file);
  try {
    const startMs = clock.nowMs();
    const progress = createProgress(clock, report);
    await target.begin(source.state(), startMs);
    await copyRows({ source, target, progress });
    await target.analyze();
    const { rows, replaced } = await compareRows({ source, target, progress });
    await target.finish(source.lastCounted, async (trx) => {
      await organizationRepository(trx).setMediaId(mediaId);
      await auditRepository(trx).append(entry);
    });
    report(
      `Equal     ${rows} rows in ${MOVED_TABLES.size} tables (${describeDuration(clock.nowMs() - startMs)})`,
    );
    for (const sentence of replaced) {
      report(`Note      ${sentence}`);
    }
  } catch (error) {
    if (error instanceof StartupError) {
      throw error;
    }
    throw new StartupError(
      `The restore to ${target.place} was interrupted: ${errorMessage(error)}. Start the same command again; it continues.`,
      error,
    );
  } finally {
    source.close();
  }
}
