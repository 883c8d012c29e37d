import type { OperationStatus } from '@placard/protocol/api';
import type { RequesterColumns } from './requester-columns.ts';

/** The tables of operations on many devices; see `schema.ts`. */
export interface BulkOperationTables {
  /** Operations on many devices. */
  bulk_operations: RequesterColumns & {
    id: string;
    /** JSON. */
    action: string;
    /** JSON; null when the devices were named. */
    filter: string | null;
    /** Where the list of the devices that the filter finds goes on; null at its end. */
    cursor: string | null;
    status: OperationStatus;
    /** Devices so far. */
    total: number;
    succeeded: number;
    failed: number;
    /** The last event about its progress. */
    told_at: number;
    created_at: number;
    finished_at: number | null;
  };
  /** What came of the devices of an operation. */
  bulk_results: {
    operation_id: string;
    position: number;
    device_id: string;
    status: 'pending' | 'succeeded' | 'failed';
    error_code: string | null;
    error_message: string | null;
    command_id: string | null;
    deployment_id: string | null;
    finished_at: number | null;
  };
}
