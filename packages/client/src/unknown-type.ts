/**
 * The `type` of an event that this version does not know. Were it any text, TypeScript could not tell from a `type` that it
 * knows which event it is. Compare it as `String(event.type)`.
 */
export type UnknownType = `${string}.${string}` & { readonly unknown: never };
