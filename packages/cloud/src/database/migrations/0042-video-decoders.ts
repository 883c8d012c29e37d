import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** What a video needs of a decoder, and what the decoders of each device can play. */
export const videoDecoders: Migration = {
  async up(db: Kysely<unknown>) {
    const { text } = engineOf(db).types;
    await sql`alter table assets add column codec ${text}`.execute(db);
    await sql`alter table assets add column frame_rate double precision`.execute(db);
    await sql`alter table devices add column decoders ${text}`.execute(db);
    await sql`create index devices_decoders on devices (decoders, number) where decoders is not null`.execute(
      db,
    );
    // Of videos that were uploaded before; see `video-details.ts`.
    await sql`create index assets_without_codec on assets (created_at) where type = 'video' and codec is null`.execute(
      db,
    );
  },
};
