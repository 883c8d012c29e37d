export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object, or an empty object for any other value. */
export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The array, or an empty array for any other value. */
export const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const errorMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** The code of a system error, such as ENOSPC. */
export const errorCode = (error: unknown): string | null =>
  isObject(error) && typeof error['code'] === 'string' ? error['code'] : null;
