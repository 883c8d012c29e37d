import type { Migration } from 'kysely';
import { first } from './0001-first.ts';

/** Every migration, in order of its name. A released one is never edited. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = { '0001-first': first };
