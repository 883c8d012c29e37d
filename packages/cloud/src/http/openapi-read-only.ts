import type { Operation } from '@placard/protocol/api';
import { z } from 'zod';
import { readOnlyFieldsOf } from '../http-server/read-only-fields.ts';
import type { ReadOnlyFields } from '../http-server/read-only-fields.ts';

const DESCRIPTION =
  'Its read-only fields may be sent as they were read: they have no effect, and `Placard-Ignored-Fields` names them. Alone they are 400.';

const READ_ONLY = z.unknown().optional().meta({ readOnly: true });

/** The operations with the read-only fields that their bodies may have, each body as a component. */
export function describeReadOnlyFields(operations: readonly Operation[]): Operation[] {
  const all = readOnlyFieldsOf(operations);
  return operations.map((operation) => {
    const fields = all.get(operation.id);
    return fields
      ? {
          ...operation,
          description: [operation.description, DESCRIPTION].filter(Boolean).join(' '),
          body: withFields(operation.body, fields).meta({ id: toPascalCase(operation.id) }),
          responseHeaders: [...(operation.responseHeaders ?? []), 'Placard-Ignored-Fields'],
        }
      : operation;
  });
}

/** A schema to describe, not to validate: it has none of the rules for several fields. */
function withFields(schema: z.ZodType, fields: ReadOnlyFields): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const changeable = Object.entries<z.ZodType>(schema.shape).map(([name, field]): [string, z.ZodType] => {
      const inside = fields.inside.get(name);
      return [name, inside ? withFields(field, inside) : field];
    });
    const readOnly = [...fields.names].map((name): [string, z.ZodType] => [name, READ_ONLY]);
    return z.strictObject(Object.fromEntries([...changeable, ...readOnly])).meta(schema.meta() ?? {});
  }
  const inner =
    schema instanceof z.ZodOptional ? schema.unwrap() : schema instanceof z.ZodArray ? schema.element : null;
  if (!(inner instanceof z.ZodType)) {
    throw new TypeError(`read-only fields inside of a ${schema.type} are not described yet; add it here`);
  }
  const described = withFields(inner, fields);
  return schema instanceof z.ZodOptional ? described.optional() : z.array(described);
}

const toPascalCase = (id: string): string => id.slice(0, 1).toUpperCase() + id.slice(1);
