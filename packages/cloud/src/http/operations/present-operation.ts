import type { BulkOperation } from '@placard/protocol/api';
import { actionOf, filterOf } from '../../database/bulk-operations.ts';
import type { Row } from '../../database/schema.ts';
import { toIso, toIsoOrNull } from '../../domain/iso-time.ts';

export const presentOperation = (row: Row<'bulk_operations'>): BulkOperation => ({
  id: row.id,
  action: actionOf(row),
  filter: filterOf(row),
  status: row.status,
  total: row.total,
  succeeded: row.succeeded,
  failed: row.failed,
  created_at: toIso(row.created_at),
  finished_at: toIsoOrNull(row.finished_at),
});
