/**
 * What a person who is bound to stores may call. Every other operation is refused: a new one is closed to them until
 * somebody has thought about it.
 */
const OPEN_TO_BOUND_PEOPLE: ReadonlySet<string> = new Set(['getOwnAccount']);

export const isOpenToBoundPeople = (operationId: string): boolean => OPEN_TO_BOUND_PEOPLE.has(operationId);
