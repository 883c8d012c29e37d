import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** What has tags: the table, its column with the tag, the column of `tag_counts`, and which rows count. */
const TAGGED = [
  { table: 'device_tags', column: 'tag', counted: 'devices', which: null },
  { table: 'asset_tags', column: 'tag', counted: 'content', which: null },
  { table: 'schedule_targets', column: 'ref', counted: 'schedules', which: "kind = 'tag'" },
] as const;
const UNUSED = 'devices = 0 and content = 0 and schedules = 0';

/**
 * The orders of lists as indexes; the tags in use with their counts, and the codes of the faults that devices report now,
 * kept by triggers: both would otherwise be found by reading everything.
 */
export const lists: Migration = {
  async up(db: Kysely<unknown>) {
    const { name: engine, types, caseless } = engineOf(db);
    const { integer, text } = types;
    const run = async (statement: string) => void (await sql.raw(statement).execute(db));
    const order = async (table: string, column: string) => {
      const key = column === 'name' || column === 'tag' ? caseless(sql.ref(column)) : sql.ref(column);
      const last = table === 'tag_counts' ? 'tag' : 'id';
      await sql`create index ${sql.ref(`${table}_in_order_of_${column}`)} on ${sql.table(table)}
        (${key}, ${sql.ref(last)})`.execute(db);
    };
    await order('devices', 'name');
    await order('devices', 'updated_at');
    await order('assets', 'name');
    await order('assets', 'updated_at');
    await order('assets', 'size');
    await order('deployments', 'created_at');
    await run('create index devices_by_version on devices (player_version, created_at, id)');
    await run('create index deployments_by_playlist on deployments (playlist_id, created_at, id)');

    await sql`create table tag_counts (tag ${text} primary key, devices ${integer} not null default 0,
      content ${integer} not null default 0, schedules ${integer} not null default 0)`.execute(db);
    await order('tag_counts', 'tag');
    for (const tagged of TAGGED) {
      const { table, column, counted, which } = tagged;
      await run(`insert into tag_counts (tag, ${counted})
        select ${column}, count(*) from ${table} where ${which ?? '1 = 1'} group by ${column}
        on conflict (tag) do update set ${counted} = excluded.${counted}`);
      await (engine === 'postgres' ? countOnPostgres : countOnSqlite)(run, tagged);
    }

    await sql`create table device_faults (device ${integer} not null, code ${text} not null,
      primary key (device, code))`.execute(db);
    await run('create index device_faults_by_code on device_faults (code, device)');
    await (engine === 'postgres' ? readFaultsOnPostgres : readFaultsOnSqlite)(run);
  },
};

type Run = (statement: string) => Promise<void>;
type Tagged = (typeof TAGGED)[number];

async function countOnSqlite(run: Run, { table, column, counted, which }: Tagged): Promise<void> {
  const when = (row: string) => (which === null ? '' : `when ${row}.${which}`);
  await run(`create trigger ${table}_tag_added after insert on ${table} ${when('new')} begin
    insert into tag_counts (tag, ${counted}) values (new.${column}, 1)
      on conflict (tag) do update set ${counted} = ${counted} + 1;
  end`);
  await run(`create trigger ${table}_tag_removed after delete on ${table} ${when('old')} begin
    update tag_counts set ${counted} = ${counted} - 1 where tag = old.${column};
    delete from tag_counts where tag = old.${column} and ${UNUSED};
  end`);
}

/** Once for all rows of a statement, in the order of the tags, so that two transactions wait for each other one way only. */
async function countOnPostgres(run: Run, { table, column, counted, which }: Tagged): Promise<void> {
  const changed = `select ${column} from changed where ${which ?? 'true'}`;
  for (const [name, event, rows, sign] of [
    ['added', 'insert', 'new', ''],
    ['removed', 'delete', 'old', '-'],
  ]) {
    await run(`create function ${table}_tag_${name}() returns trigger language plpgsql as $$
      begin
        insert into tag_counts (tag, ${counted})
          select ${column}, ${sign}count(*) from changed where ${which ?? 'true'} group by ${column} order by ${column}
          on conflict (tag) do update set ${counted} = tag_counts.${counted} + excluded.${counted};
        delete from tag_counts where ${UNUSED} and tag in (${changed});
        return null;
      end $$`);
    await run(`create trigger ${table}_tag_${name} after ${event} on ${table}
      referencing ${rows} table as changed for each statement execute function ${table}_tag_${name}()`);
  }
}

const isReported = (row: string) => `${row}.faults is not null and ${row}.faults <> '[]'`;

async function readFaultsOnSqlite(run: Run): Promise<void> {
  await run(`insert into device_faults (device, code)
    select distinct device, json_extract(value, '$.code') from device_live, json_each(faults)
    where ${isReported('device_live')}`);
  const codes = `select distinct json_extract(value, '$.code') as code from json_each(coalesce(new.faults, '[]'))`;
  await run(`create trigger device_faults_reported after update of faults on device_live
    when new.faults is not old.faults begin
      delete from device_faults where device = new.device and code not in (${codes});
      insert into device_faults (device, code) select new.device, code from (${codes}) where true on conflict do nothing;
    end`);
}

const codesIn = (faults: string) =>
  `select distinct value ->> 'code' as code from json_array_elements(coalesce(${faults}, '[]')::json) as fault (value)`;

/** A code that PostgreSQL cannot store, of half a character, must not prevent the heartbeat. */
async function readFaultsOnPostgres(run: Run): Promise<void> {
  await run(`create function device_faults_reported() returns trigger language plpgsql as $$
    begin
      delete from device_faults where device = new.device and code not in (${codesIn('new.faults')});
      insert into device_faults (device, code) select new.device, code from (${codesIn('new.faults')}) as codes
        on conflict do nothing;
      return null;
    exception when data_exception then
      return null;
    end $$`);
  await run(`create trigger device_faults_reported after update of faults on device_live
    for each row when (new.faults is distinct from old.faults) execute function device_faults_reported()`);
  // As if each device reported them now.
  await run(`do $$
    declare live record;
    begin
      for live in select device, faults from device_live where ${isReported('device_live')} loop
        begin
          insert into device_faults (device, code) select live.device, code from (${codesIn('live.faults')}) as codes;
        exception when data_exception then null;
        end;
      end loop;
    end $$`);
}
