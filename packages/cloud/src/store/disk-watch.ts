import { statfsSync } from 'node:fs';
import type { Logger } from 'pino';
import { diskSentence, diskStateOf, LEAST_FREE_BYTES, reserveFor } from '../domain/disk-state.ts';
import type { DiskFacts, DiskState } from '../domain/disk-state.ts';
import { refusal } from '../domain/refusal.ts';
import { storageFull, TROUBLE_SENTENCES } from '../domain/storage-trouble.ts';
import { openReserve } from './reserve.ts';

/** How much is set aside at a time: nobody is to wait for it. */
const GROWTH_BYTES = 4 * 1_048_576;
/** Set free at a time when the database cannot even be opened: a few pages are enough for that. */
const OPENING_BYTES = 2 * 1_048_576;

export interface DiskReport extends DiskFacts {
  state: DiskState;
  /** For the operator: what is wrong, and what to do. */
  sentence: string;
}

/** Knows how much room there is for the data folder, and keeps a little of it for deleting. */
export interface DiskWatch {
  /** As it is at this moment. */
  report(): DiskReport;
  /** Throws `INSUFFICIENT_STORAGE` when less than the floor would be left after so many bytes more. */
  requireRoomFor(bytes: number): void;
  /** Throws when what room is left is kept for deleting. */
  requireRoom(): void;
  /** A write did not fit. */
  noteFull(): void;
  /** Gives back what is set aside; answers false when there was nothing. */
  release(): boolean;
  /** Gives back just enough to open the database; answers false when there was nothing. */
  releaseForOpening: () => boolean;
  /** Sets aside again what fits, and logs when the state is another one than before; answers with the state. */
  look(): DiskState;
}

export interface DiskWatchDeps {
  dataDir: string;
  /** Bytes below which uploads are refused. */
  floor: number;
  /** Bytes to set aside; by default what `reserveFor` says. */
  reserveBytes?: number | undefined;
  log: Pick<Logger, 'error' | 'warn'>;
}

export function createDiskWatch({ dataDir, floor, reserveBytes, log }: DiskWatchDeps): DiskWatch {
  const reserve = openReserve(dataDir);
  const spaceOf = () => {
    const { bavail, blocks, bsize } = statfsSync(dataDir);
    return { free: bavail * bsize, total: blocks * bsize };
  };
  const fullReserve = reserveBytes ?? reserveFor(spaceOf().total);
  const hasRoom = () => spaceOf().free + reserve.size() >= fullReserve + LEAST_FREE_BYTES;
  // Known without a look at the disk: it is asked before every change.
  let room = hasRoom();
  let refused = false;
  let told: DiskState = 'ok';

  const report = (): DiskReport => {
    const facts = { free: spaceOf().free, floor, reserve: reserve.size(), fullReserve, refused };
    const state = diskStateOf(facts);
    return { ...facts, state, sentence: diskSentence(state, dataDir, facts) };
  };

  /** Whether the disk takes a write again; by a real one, for a quota shows in no measure. */
  const takesWrites = (): boolean => {
    const held = reserve.size();
    const fits = reserve.growTo(held + LEAST_FREE_BYTES);
    reserve.give(reserve.size() - held);
    return fits;
  };

  const release = (bytes: number): boolean => {
    const given = reserve.give(bytes) > 0;
    room = hasRoom();
    return given;
  };

  return {
    report,
    requireRoomFor(bytes) {
      const { free, state } = report();
      if (state !== 'full' && free - bytes >= floor) return;
      throw refusal(
        'INSUFFICIENT_STORAGE',
        `The disk of this cloud has too little room for this file: ${free} bytes are free, and ${floor} have to stay ` +
          'free. Delete content or make room on the disk, then send it again.',
        {
          details: {
            reason: state === 'full' ? 'disk_full' : 'below_floor',
            free_bytes: free,
            floor_bytes: floor,
          },
        },
      );
    },
    requireRoom() {
      if (!room) throw storageFull(TROUBLE_SENTENCES.full);
    },
    noteFull() {
      refused = true;
    },
    release: () => release(Number.MAX_SAFE_INTEGER),
    releaseForOpening: () => release(OPENING_BYTES),
    look() {
      room = hasRoom();
      if (room) reserve.growTo(Math.min(fullReserve, reserve.size() + GROWTH_BYTES));
      if (refused && spaceOf().free >= LEAST_FREE_BYTES) refused = !takesWrites();
      const { state, sentence, free } = report();
      if (state !== told) {
        const facts = { event: `disk.${state}`, dataDir, freeBytes: free, floorBytes: floor };
        if (state === 'full') log.error(facts, sentence);
        else log.warn(facts, sentence);
      }
      told = state;
      return state;
    },
  };
}
