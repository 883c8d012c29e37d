export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object, or an empty one when it is something else. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The list, or an empty one when it is something else. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The code of a system error, such as ENOSPC. */
export const codeOf = (error: unknown): string | null =>
  isObject(error) && typeof error['code'] === 'string' ? error['code'] : null;
