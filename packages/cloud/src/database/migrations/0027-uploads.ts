import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Resumable uploads, and the parts of their files in a bucket. */
export const uploads: Migration = {
  async up(db: Kysely<unknown>) {
    const { text, integer } = engineOf(db).types;
    await db.schema
      .createTable('uploads')
      .addColumn('id', text, (c) => c.primaryKey())
      .addColumn('actor_type', text, (c) => c.notNull())
      .addColumn('actor_id', text, (c) => c.notNull())
      .addColumn('actor_name', text, (c) => c.notNull())
      .addColumn('address', text, (c) => c.notNull())
      .addColumn('request_id', text, (c) => c.notNull())
      .addColumn('metadata', text, (c) => c.notNull())
      .addColumn('size', integer, (c) => c.notNull())
      .addColumn('received', integer, (c) => c.notNull())
      .addColumn('state', text, (c) => c.notNull())
      .addColumn('asset_id', text)
      .addColumn('error', text)
      .addColumn('created_at', integer, (c) => c.notNull())
      .addColumn('updated_at', integer, (c) => c.notNull())
      .addColumn('expires_at', integer, (c) => c.notNull())
      .addColumn('busy_until', integer, (c) => c.notNull())
      .execute();
    await db.schema.createIndex('uploads_by_state').on('uploads').columns(['state', 'busy_until']).execute();
    await db.schema.createIndex('uploads_by_expiry').on('uploads').column('expires_at').execute();
    await db.schema
      .createTable('upload_parts')
      .addColumn('upload_id', text, (c) => c.notNull())
      .addColumn('start', integer, (c) => c.notNull())
      .addColumn('size', integer, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addPrimaryKeyConstraint('upload_parts_key', ['upload_id', 'start'])
      .execute();
  },
};
