import type { Fault, FaultCode } from '@placard/protocol';
import type { FaultSource } from './active-faults.ts';

export type ConnectionState = 'connecting' | 'online' | 'offline';

export type CloudConnection = ReturnType<typeof createCloudConnection>;

const CLOUD_FAULT_CODES: readonly FaultCode[] = [
  'cloud.unreachable',
  'cloud.refused',
  'cloud.not_placard',
  'cloud.busy',
  'cloud.tls',
];

/** The only writer of the connection state and of the faults of the cloud. */
export function createCloudConnection(deps: {
  faults: FaultSource;
  readonly state: () => ConnectionState;
  readonly setState: (state: ConnectionState) => void;
}) {
  const { faults, state, setState } = deps;
  let isSocketOpen = false;
  /** The cloud exchanges messages with this player: by pairing requests, heartbeats or the socket. */
  const onOnline = () => {
    faults.clear();
    setState('online');
  };
  return {
    /** A request succeeded. */
    onResponse: () => faults.clear(),
    onOnline,
    /** A request failed: offline, unless the socket is open. */
    onFailure(fault: Fault) {
      faults.clear(...CLOUD_FAULT_CODES.filter((code) => code !== fault.code));
      if (CLOUD_FAULT_CODES.includes(fault.code)) {
        faults.raise(fault.code, fault.details);
      }
      if (!isSocketOpen) {
        setState('offline');
      }
    },
    onSocketOpened() {
      isSocketOpen = true;
      onOnline();
    },
    onSocketClosed() {
      isSocketOpen = false;
      if (state() === 'online') {
        setState('connecting');
      }
    },
    /** Nothing is known yet of the cloud. */
    reset: () => setState('connecting'),
  };
}
