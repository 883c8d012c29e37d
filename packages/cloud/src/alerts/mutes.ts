import type { Row } from '../database/schema.ts';

/** What an alert may be about: a device, in its store; a store; or, without both, devices of any store. */
export interface Place {
  deviceId: string | null;
  storeId: string | null;
}

/** Tells for which places no alert is opened, and nobody is mailed. */
export function createIsMuted(mutes: readonly Row<'alert_mutes'>[]): (place: Place) => boolean {
  const muted = new Set(mutes.map(({ kind, ref }) => `${kind} ${ref}`));
  return ({ deviceId, storeId }) =>
    muted.has('all ') || muted.has(`device ${deviceId}`) || muted.has(`store ${storeId}`);
}
