import type { AlertCondition, AlertFilter, AlertRule } from '@placard/protocol/api';
import type { Transaction } from '../database/cloud-database.ts';
import type { Row } from '../database/schema.ts';
import type { WatchedDevice } from '../database/watched-devices.ts';
import type { CountedTime } from './counted-time.ts';
import type { Place } from './mutes.ts';

/** What one look at all rules has in common. */
export interface Look {
  nowMs: number;
  /** What was stored before is not known to be so still. */
  observingSinceMs: number;
  countedTime: (hours: AlertRule['opening_hours']) => CountedTime;
  /** How often screens send pictures that have no setting of their own, in minutes; 0: never. */
  pictureMinutes: number;
  isMuted: (place: Place) => boolean;
}

/** A device that meets a condition now. */
export interface FoundDevice {
  device: WatchedDevice;
  /** Something that says, when it changes, that the device has not been in this state all the time. */
  detail: string | null;
}

/** What is known of the devices of a rule now. */
export interface Matching {
  found: readonly FoundDevice[];
  /** Devices that met the condition, and of which it is not known whether they still do. */
  unknown: ReadonlySet<string>;
  /** Of stores; empty when it is not about pictures. */
  pictures: ReadonlyMap<string, StorePictures>;
}

/** What is known of the pictures of a store. */
export interface StorePictures {
  /** Devices that meet the condition with their next picture, if that is like the last one. */
  suspects: number;
  /** The longest time between two pictures of one of them, or of one that meets it. */
  intervalMs: number;
}

export interface LookedAtRule {
  row: Row<'alert_rules'>;
  condition: AlertCondition;
  filter: AlertFilter;
}

/** Runs a change unless the rule is another one meanwhile, or the work of another node; then it returns null. */
export type ChangeUnderRule = <T>(
  rule: LookedAtRule,
  run: (tx: Transaction) => Promise<T>,
) => Promise<T | null>;

/** Whether the device is online, and its state was reported since the cloud has started. */
export const isFresh = ({ status, last_heartbeat }: WatchedDevice, { observingSinceMs }: Look): boolean =>
  status === 'online' && last_heartbeat !== null && last_heartbeat >= observingSinceMs;
