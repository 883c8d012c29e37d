import type { Socket } from 'node:net';
import type { Clock } from '../../domain/clock.ts';

/** Interval of the check that aborts uploads which received nothing since the last one, or are too slow. */
const STALL_CHECK_INTERVAL_MS = 60_000;
/** An upload that is slower than this on average is aborted. */
const MIN_BYTES_PER_MS = 10;

/** Closes a connection that receives nothing or too little: a broken network does not always report an error. */
export function watchForStall(socket: Socket, clock: Clock): () => void {
  const [startedMs, startedAtBytes] = [clock.nowMs(), socket.bytesRead];
  let lastBytes = startedAtBytes;
  const check = () => {
    const expectedBytes = (clock.nowMs() - startedMs - STALL_CHECK_INTERVAL_MS) * MIN_BYTES_PER_MS;
    if (socket.bytesRead === lastBytes || socket.bytesRead - startedAtBytes < expectedBytes) {
      socket.destroy();
      return;
    }
    lastBytes = socket.bytesRead;
    cancel = clock.setTimer(STALL_CHECK_INTERVAL_MS, check);
  };
  let cancel = clock.setTimer(STALL_CHECK_INTERVAL_MS, check);
  return () => cancel();
}
