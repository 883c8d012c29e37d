import type { RolloutDeviceStatus, RolloutStatus } from '@placard/protocol/api';
import type { RequesterColumns } from './requester-columns.ts';

/** The tables of rollouts; see `schema.ts`. */
export interface RolloutTables {
  rollouts: RequesterColumns & {
    id: string;
    name: string | null;
    version: string;
    /** JSON. */
    filter: string;
    /** JSON: percents. */
    rings: string;
    hold_hours: number;
    status: RolloutStatus;
    reason: string | null;
    /** From 1; 0 while devices are selected. */
    ring: number;
    ring_started_at: number | null;
    /** Up to which time the devices of the ring that were told account for: a minute before the last was told at most. Null: none was. */
    told_at: number | null;
    /** Since when the devices of the ring are compared with the others; null: not yet. */
    observed_from: number | null;
    /** Comparisons of this ring that were made, and how many updated devices the last one had. */
    looks: number;
    compared: number;
    fleet: number;
    self_updating: number;
    /** JSON (`RingStatusCount`) of one that ended so long ago that no device can answer; of others, null, devices are counted. */
    counts: string | null;
    created_at: number;
    finished_at: number | null;
  };
  rollout_devices: {
    rollout_id: string;
    /** The order in which they are told. */
    position: number;
    device_id: string;
    /** From 1. */
    ring: number;
    /** Board and shell, as `domain/rollout-kind.ts` names them. */
    kind: string;
    /** The version that it had when it was selected. */
    from_version: string;
    status: RolloutDeviceStatus;
    code: string | null;
    command_id: string | null;
    told_at: number | null;
    updated_at: number | null;
    /** `health` and `last_heartbeat` of the device when the ring began, and when it was observed from; null: it is not compared. */
    health_before: string | null;
    health_after: string | null;
  };
}
