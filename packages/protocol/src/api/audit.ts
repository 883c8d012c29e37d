import { z } from 'zod';
import { timestamp } from '../primitives.ts';
import { queryInstant, reference } from './fields.ts';
import { listPaging, pageOrCursor } from './lists.ts';
import { operationsOf } from './operation.ts';

/** One field that a change set. Secret values are replaced by `(hidden)`. */
const auditChange = z.object({
  field: z.string(),
  /** Null when the field had no value. */
  before: z.unknown(),
  /** Null when the field has no value any more. */
  after: z.unknown(),
  /** True when a value was too long to be stored whole: only its beginning is kept, as text. */
  truncated: z.boolean(),
});
export type AuditChange = z.infer<typeof auditChange>;

const auditEntry = z
  .object({
    id: z.string(),
    created_at: timestamp,
    /** Who: `api_key`, `command_line`, or `system` for changes by the cloud itself. More kinds may be added. */
    actor: z.object({ type: z.string(), id: z.string().nullable(), name: z.string() }),
    /** IP address of the request; null for the command line. */
    address: z.string().nullable(),
    /** `x-request-id` of the request. */
    request_id: z.string().nullable(),
    /** For example `playlist.updated`. */
    action: z.string(),
    /** The changed resource, with its name at that time. */
    resource: z.object({ type: z.string(), id: z.string(), name: z.string().nullable() }),
    changes: z.array(auditChange),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof auditEntry>;

const define = operationsOf('Audit log');

export const auditOperations = {
  listAuditLog: define('listAuditLog', 'GET', '/v1/audit-log', {
    summary: 'Who changed what, and when; newest first',
    description:
      'One entry for each change that was made through the API or on the command line, written together with the ' +
      'change. Reads, rejected requests and device reports are not logged. Entries are never changed, and are ' +
      'kept for a year unless the cloud is configured otherwise (`--keep-audit`). `from` is inclusive, `to` exclusive. ' +
      'At most 32 MB of changes are kept per key and day (UTC); beyond that an entry lists the changed fields, each with ' +
      '`before` and `after` null and `truncated` true.',
    access: 'Admin',
    query: z
      .strictObject({
        ...listPaging,
        resource_type: reference.optional(),
        resource_id: reference.optional(),
        actor_id: reference.optional(),
        action: reference.optional(),
        from: queryInstant.optional(),
        to: queryInstant.optional(),
      })
      .refine(...pageOrCursor),
    data: z.array(auditEntry),
    list: 'page or cursor',
    example: {
      data: [
        {
          id: 'audit_01kzgm8q2c7d0vqk3m4a5b6c7d',
          created_at: '2026-11-20T08:00:00.000Z',
          actor: { type: 'api_key', id: 'key_01kzgm8q2c7d0vqk3m4a5b6c7d', name: 'Menu sync' },
          address: '203.0.113.7',
          request_id: '6f1c2a34-0b9e-4c6f-9a55-0d2f5f0f7a10',
          action: 'playlist.updated',
          resource: { type: 'playlist', id: 'pl_01kzgm8q2c7d0vqk3m4a5b6c7d', name: 'Breakfast' },
          changes: [{ field: 'mode', before: 'sequential', after: 'shuffle', truncated: false }],
        },
      ],
    },
  }),
};
