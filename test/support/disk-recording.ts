import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** What a process did to one folder and wrote to its standard output, in order. Paths are relative to the folder. */
export type DiskEvent =
  | { kind: 'create'; path: string }
  /** `isCutOff`: the process was killed during it, so that it may not have happened. */
  | { kind: 'write'; path: string; offset: number; bytes: Buffer; isCutOff?: boolean }
  | { kind: 'truncate'; path: string; size: number }
  /** What is written while a sync lasts is not on the disk after it. */
  | { kind: 'sync_begun'; path: string; sync: number }
  | { kind: 'sync'; path: string; sync: number }
  | { kind: 'rename'; from: string; to: string }
  | { kind: 'unlink'; path: string }
  | { kind: 'mkdir'; path: string }
  | { kind: 'ack'; subject: string };

const TRACED_SYSCALLS =
  'openat,write,pwrite64,writev,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat';

/** Whether strace is installed and permitted to trace. */
export const canTraceSyscalls = (): boolean =>
  spawnSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' }).status === 0;

export const countSyncs = (events: readonly DiskEvent[], suffix: string): number =>
  events.filter((event) => event.kind === 'sync' && event.path.endsWith(suffix)).length;

/** Whether a system call has no result: `= ?`, `= ? <unavailable>`, or nothing after its arguments. */
const isCutOff = (rest: string): boolean => !/\) += \d+$/.test(rest);

/** The last argument of a system call, also of one during which the process was killed. */
function lastNumber(rest: string): number {
  const [, digits] = /, (\d+)(?: <unfinished \.\.\.>)?(?:\) += (?:\d+|\?.*))?$/.exec(rest) ?? [];
  if (digits === undefined) {
    throw new Error(`the trace has a system call without its last argument: …${rest.slice(-200)}`);
  }
  return Number(digits);
}

const DURATION = / <(\d+\.\d{6})>$/;

/** A system call at the instant at which it counts. */
interface TracedCall {
  line: string;
  atMicros: number;
  /** The number of a sync, and whether this is its end. */
  sync: number;
  isEnd: boolean;
}

/**
 * A sync counts twice, at its beginning and at its end, because other threads write meanwhile. All others count at their
 * beginning, since when a power cut may find them done.
 */
function readCall(text: string, sync: number): TracedCall[] {
  const atMicros = Math.round(Number(text.slice(0, 17)) * 1e6);
  const call = { line: text.replace(DURATION, ''), atMicros, sync, isEnd: false };
  if (!/^[\d.]+ f(?:data)?sync\(/.test(text)) {
    return [call];
  }
  const tookMicros = Math.round(Number(DURATION.exec(text)?.[1] ?? 0) * 1e6);
  return [call, { ...call, atMicros: atMicros + tookMicros, isEnd: true }];
}

/** Runs a program, and what it starts, under strace. Throws when the program fails. */
export function recordDiskEvents(args: readonly string[], folder: string, traceDir: string): DiskEvent[] {
  const strace = [
    '-ff',
    '-ttt',
    '-T',
    '-y',
    '-xx',
    '-s',
    '4194304',
    '-e',
    `trace=${TRACED_SYSCALLS}`,
    '-o',
    join(traceDir, 'trace'),
  ];
  const run = spawnSync('strace', [...strace, process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
  });
  if (run.status !== 0) {
    throw new Error(`the recorded program failed: ${String(run.error ?? run.stderr)}`);
  }
  const calls = readdirSync(traceDir)
    .flatMap((name) => readFileSync(join(traceDir, name), 'latin1').split('\n'))
    .filter((line) => line.includes('(') && !line.includes(' = -1 '))
    .flatMap(readCall)
    .toSorted((a, b) => a.atMicros - b.atMicros);
  return parseTrace(calls, folder);
}

const decodeHexText = (hex: string) => Buffer.from(hex.replaceAll('\\x', ''), 'hex').toString('utf8');

function parseTrace(calls: readonly TracedCall[], folder: string): DiskEvent[] {
  const events: DiskEvent[] = [];
  const sizes = new Map<string, number>();
  /** The offset of the next write() of each open file. */
  const cursors = new Map<string, number>();
  const relativePath = (hex: string | undefined): string | null => {
    const path = relative(folder, decodeHexText(hex ?? ''));
    return path.startsWith('..') || path.startsWith('/') ? null : path;
  };
  const write = (path: string, offset: number, bytes: Buffer, rest: string) => {
    events.push({ kind: 'write', path, offset, bytes, ...(isCutOff(rest) ? { isCutOff: true } : {}) });
    sizes.set(path, Math.max(sizes.get(path) ?? 0, offset + bytes.length));
  };

  for (const { line, sync, isEnd } of calls) {
    const [, syscall = '', rest = ''] = /^[\d.]+ (\w+)\((.*)$/.exec(line) ?? [];
    const strings = [...rest.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map((match) => match[1] ?? '');
    const handle = /^\d+<((?:\\x[0-9a-f]{2})+)>/.exec(rest)?.[1];
    const path = relativePath(handle);
    if (syscall === 'openat') {
      openFile(rest, relativePath(strings[0]));
    } else if (syscall.startsWith('rename')) {
      const [from, to] = [relativePath(strings[0]), relativePath(strings[1])];
      if (from === null || to === null) {
        continue;
      }
      events.push({ kind: 'rename', from, to });
      sizes.set(to, sizes.get(from) ?? 0);
      sizes.delete(from);
    } else if (syscall.startsWith('unlink')) {
      const removedPath = relativePath(strings[0]);
      if (removedPath !== null && removedPath !== '') {
        events.push({ kind: 'unlink', path: removedPath });
      }
      sizes.delete(removedPath ?? '');
    } else if (syscall.startsWith('mkdir')) {
      const createdFolder = relativePath(strings[0]);
      if (createdFolder) {
        events.push({ kind: 'mkdir', path: createdFolder });
      }
    } else if (syscall === 'write' && rest.startsWith('1<')) {
      for (const outputLine of decodeHexText(strings[0] ?? '').split('\n')) {
        if (outputLine.startsWith('ACK ')) {
          events.push({ kind: 'ack', subject: outputLine.slice(4) });
        }
      }
    } else if (path === null) {
      continue;
    } else if (syscall === 'fsync' || syscall === 'fdatasync') {
      if (rest.endsWith(' = 0')) {
        events.push({ kind: isEnd ? 'sync' : 'sync_begun', path, sync });
      }
    } else if (syscall === 'ftruncate') {
      const size = lastNumber(rest);
      events.push({ kind: 'truncate', path, size });
      sizes.set(path, size);
    } else if (syscall === 'pwrite64') {
      write(path, lastNumber(rest), decodeHexBytes(strings[0]), rest);
    } else if (syscall === 'write' || syscall === 'writev') {
      const offset = cursors.get(path) ?? 0;
      const bytes = Buffer.concat(strings.map((hex) => decodeHexBytes(hex)));
      write(path, offset, bytes, rest);
      cursors.set(path, offset + bytes.length);
    }
  }
  return events;

  function openFile(rest: string, path: string | null): void {
    if (path === null || path === '' || rest.includes('O_DIRECTORY')) {
      return;
    }
    if (rest.includes('O_CREAT') && !sizes.has(path)) {
      events.push({ kind: 'create', path });
      sizes.set(path, 0);
    }
    if (rest.includes('O_TRUNC')) {
      events.push({ kind: 'truncate', path, size: 0 });
      sizes.set(path, 0);
    }
    cursors.set(path, rest.includes('O_APPEND') ? (sizes.get(path) ?? 0) : 0);
  }
}

const decodeHexBytes = (hex: string | undefined): Buffer =>
  Buffer.from((hex ?? '').replaceAll('\\x', ''), 'hex');

type FileChange = Extract<DiskEvent, { kind: 'write' | 'truncate' }>;

/** One file's bytes: what is synced, and what was written since and may be lost. */
interface Inode {
  synced: GrowingBuffer;
  pending: FileChange[];
}

/** A buffer that grows in place. */
interface GrowingBuffer {
  buffer: Buffer;
  size: number;
}

/** A disk that replays events and can write the state after a power cut into a folder, repeatedly. */
export interface ReplayedDisk {
  applyEvent(event: DiskEvent): void;
  /**
   * Builds the folder: synced data is present; each unsynced write is complete, missing, cut in half or torn at sector
   * boundaries; changes of names are applied up to some point. `chance` decides.
   */
  writeStateAfterPowerCut(folder: string, chance: () => number): void;
}

type DirectoryEntries = Map<string, Inode>;

interface NameChange {
  dir: string;
  apply(names: DirectoryEntries): void;
}

export function createReplayedDisk(): ReplayedDisk {
  const durable: DirectoryEntries = new Map();
  const live: DirectoryEntries = new Map();
  /** Changes of names since the last sync of their folder, in order. */
  let unsynced: NameChange[] = [];
  const folders = new Set<string>();
  /** What was pending in a file, or in a folder, when a sync began. */
  const begun = new Map<number, { inode: Inode; changes: Set<FileChange> } | { names: Set<NameChange> }>();

  const changeEntries = (path: string, apply: (names: DirectoryEntries) => void) => {
    apply(live);
    unsynced.push({ dir: dirname(path), apply });
  };

  function beginSync(path: string, sync: number): void {
    const inode = live.get(path);
    const dir = path === '' ? '.' : path;
    begun.set(
      sync,
      inode
        ? { inode, changes: new Set(inode.pending) }
        : { names: new Set(unsynced.filter((one) => one.dir === dir)) },
    );
  }

  function endSync(sync: number): void {
    const covered = begun.get(sync);
    begun.delete(sync);
    if (!covered) {
      return;
    }
    if ('names' in covered) {
      const { names } = covered;
      unsynced.filter((one) => names.has(one)).forEach((one) => one.apply(durable));
      unsynced = unsynced.filter((one) => !names.has(one));
      return;
    }
    const { inode, changes } = covered;
    inode.pending
      .filter((change) => changes.has(change))
      .forEach((change) => apply(inode.synced, change, 'whole'));
    inode.pending = inode.pending.filter((change) => !changes.has(change));
  }

  return {
    applyEvent(event) {
      switch (event.kind) {
        case 'ack':
          break;
        case 'mkdir':
          folders.add(event.path);
          break;
        case 'create': {
          const inode: Inode = { synced: { buffer: Buffer.alloc(0), size: 0 }, pending: [] };
          changeEntries(event.path, (names) => names.set(event.path, inode));
          break;
        }
        case 'write':
        case 'truncate':
          live.get(event.path)?.pending.push(event);
          break;
        case 'rename': {
          const inode = live.get(event.from);
          if (!inode) {
            break;
          }
          changeEntries(event.to, (names) => {
            names.delete(event.from);
            names.set(event.to, inode);
          });
          break;
        }
        case 'unlink':
          changeEntries(event.path, (names) => names.delete(event.path));
          break;
        case 'sync_begun':
          beginSync(event.path, event.sync);
          break;
        case 'sync':
          endSync(event.sync);
          break;
      }
    },
    writeStateAfterPowerCut(folder, random) {
      // A journal keeps the order of name changes, so a prefix of the unsynced ones survives.
      const names = new Map(durable);
      for (const one of unsynced.slice(0, Math.floor(random() * (unsynced.length + 1)))) {
        one.apply(names);
      }
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      for (const path of folders) {
        mkdirSync(join(folder, path), { recursive: true });
      }
      for (const [path, inode] of names) {
        const bytes = { buffer: Buffer.from(inode.synced.buffer), size: inode.synced.size };
        for (const change of inode.pending) {
          apply(bytes, change, pickWriteOutcome(random()));
        }
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), bytes.buffer.subarray(0, bytes.size));
      }
    },
  };
}

type WriteOutcome = 'whole' | 'lost' | 'halved' | 'torn';

const SECTOR = 512;

const pickWriteOutcome = (random: number): WriteOutcome =>
  random < 0.4 ? 'whole' : random < 0.7 ? 'lost' : random < 0.85 ? 'halved' : 'torn';

function apply(target: GrowingBuffer, change: FileChange, outcome: WriteOutcome): void {
  if (outcome === 'lost') {
    return;
  }
  if (change.kind === 'truncate') {
    reserve(target, change.size);
    if (change.size > target.size) {
      target.buffer.fill(0, target.size, change.size);
    }
    target.size = change.size;
    return;
  }
  const bytes = survivingBytes(change.bytes, outcome);
  const end = change.offset + bytes.length;
  reserve(target, end);
  if (change.offset > target.size) {
    target.buffer.fill(0, target.size, change.offset);
  }
  bytes.copy(target.buffer, change.offset);
  target.size = Math.max(target.size, end);
}

function reserve(target: GrowingBuffer, size: number): void {
  if (size <= target.buffer.length) {
    return;
  }
  const larger = Buffer.alloc(Math.max(size, target.buffer.length * 2));
  target.buffer.copy(larger, 0, 0, target.size);
  target.buffer = larger;
}

function survivingBytes(bytes: Buffer, outcome: WriteOutcome): Buffer {
  if (outcome === 'halved') {
    return bytes.subarray(0, Math.floor(bytes.length / 2 / SECTOR) * SECTOR);
  }
  if (outcome !== 'torn') {
    return bytes;
  }
  const torn = Buffer.from(bytes);
  for (let at = SECTOR; at < torn.length; at += 2 * SECTOR) {
    torn.fill(0, at, Math.min(torn.length, at + SECTOR));
  }
  return torn;
}
