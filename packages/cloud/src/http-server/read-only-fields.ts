import type { Operation } from '@placard/protocol/api';
import { z } from 'zod';
import { validationError } from '../domain/api-error.ts';

/** Lists the read-only fields that a request had, in its response. */
export const IGNORED_FIELDS_HEADER = 'placard-ignored-fields';

/**
 * Fields that GET of a resource returns and PATCH does not take, such as `created_at`. In the body of the PATCH they are
 * passed over, so that a client can send back all that it has read.
 */
export interface ReadOnlyFields {
  names: ReadonlySet<string>;
  /** Of the objects, or lists of objects, in the fields that PATCH does take. */
  inside: ReadonlyMap<string, ReadOnlyFields>;
}

/** The read-only fields of every PATCH of a resource that can be read, by operation id. */
export function readOnlyFieldsOf(operations: readonly Operation[]): ReadonlyMap<string, ReadOnlyFields> {
  const resources = new Map(
    operations.flatMap(({ method, path, data }) => (method === 'GET' ? [[path, data]] : [])),
  );
  return new Map(
    operations.flatMap(({ id, method, path, bytes, body }) => {
      const resource = method === 'PATCH' && bytes === undefined ? resources.get(path) : undefined;
      const fields = resource && compare(resource, body);
      return fields ? [[id, fields]] : [];
    }),
  );
}

/** Null when everything that is read can be changed. */
function compare(read: z.ZodType, change: z.ZodType): ReadOnlyFields | null {
  const [from, to] = [shapeOf(read), shapeOf(change)];
  if (!from || !to) {
    return null;
  }
  const names = Object.keys(from).filter((name) => !Object.hasOwn(to, name));
  const inside = Object.entries(to).flatMap(([name, inner]): [string, ReadOnlyFields][] => {
    const fields = from[name] && compare(from[name], inner);
    return fields ? [[name, fields]] : [];
  });
  return names.length + inside.length === 0 ? null : { names: new Set(names), inside: new Map(inside) };
}

/** The fields of an object, or of each object of a list; null for anything else. */
function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> | null {
  if (schema instanceof z.ZodObject) {
    return schema.shape;
  }
  const inner =
    schema instanceof z.ZodArray
      ? schema.element
      : schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
        ? schema.unwrap()
        : null;
  return inner instanceof z.ZodType ? shapeOf(inner) : null;
}

/**
 * The body without its read-only fields, and their sorted names; those inside of others as `configuration.timezone`. Throws
 * when nothing else was sent: that is no resource as it was read, but a change that cannot be made.
 */
export function passOverReadOnly(sent: unknown, all: ReadOnlyFields): { body: unknown; ignored: string[] } {
  const ignored = new Set<string>();
  let isChange = false;
  const strip = (value: unknown, { names, inside }: ReadOnlyFields, path: string): unknown => {
    if (Array.isArray(value)) {
      isChange ||= value.length === 0;
      return value.map((entry) => strip(entry, { names, inside }, path));
    }
    if (typeof value !== 'object' || value === null) {
      isChange = true;
      return value;
    }
    const kept = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
      if (names.has(name)) {
        ignored.add(path + name);
        return [];
      }
      const fields = inside.get(name);
      isChange ||= !fields;
      return [[name, fields ? strip(inner, fields, `${path}${name}.`) : inner]];
    });
    return Object.fromEntries(kept);
  };
  const body = strip(sent, all, '');
  const names = [...ignored].toSorted();
  if (names.length > 0 && !isChange) {
    throw validationError(names.map((path) => ({ path, message: 'cannot be changed' })));
  }
  return { body, ignored: names };
}
