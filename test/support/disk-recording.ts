import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** What a process did to one folder, in order, and what it said meanwhile. Paths are relative to the folder. */
export type DiskEvent =
  | { kind: 'create'; path: string }
  | { kind: 'write'; path: string; offset: number; bytes: Buffer }
  | { kind: 'truncate'; path: string; size: number }
  | { kind: 'sync'; path: string }
  | { kind: 'rename'; from: string; to: string }
  | { kind: 'unlink'; path: string }
  | { kind: 'mkdir'; path: string }
  | { kind: 'ack'; what: string };

const CALLS =
  'openat,write,pwrite64,writev,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat';

/** Whether there is an strace here, and it may trace. */
export const canRecord = (): boolean =>
  spawnSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' }).status === 0;

/** Runs a program under strace. Throws when the program fails. */
export function recordDisk(args: readonly string[], folder: string, traceDir: string): DiskEvent[] {
  const strace = [
    '-ff',
    '-ttt',
    '-y',
    '-xx',
    '-s',
    '4194304',
    '-e',
    `trace=${CALLS}`,
    '-o',
    join(traceDir, 'trace'),
  ];
  const run = spawnSync('strace', [...strace, process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (run.status !== 0) throw new Error(`the recorded program failed: ${String(run.error ?? run.stderr)}`);
  const lines = readdirSync(traceDir)
    .flatMap((name) => readFileSync(join(traceDir, name), 'latin1').split('\n'))
    .filter((line) => line.includes('(') && !line.includes(' = -1 '))
    .toSorted((a, b) => (a.slice(0, 17) < b.slice(0, 17) ? -1 : 1));
  return eventsOf(lines, folder);
}

const text = (hex: string) => Buffer.from(hex.replaceAll('\\x', ''), 'hex').toString('utf8');

function eventsOf(lines: readonly string[], folder: string): DiskEvent[] {
  const events: DiskEvent[] = [];
  const sizes = new Map<string, number>();
  /** Where the next plain write of an open file goes. */
  const cursors = new Map<string, number>();
  const inside = (hex: string | undefined): string | null => {
    const path = relative(folder, text(hex ?? ''));
    return path.startsWith('..') || path.startsWith('/') ? null : path;
  };
  const write = (path: string, offset: number, bytes: Buffer) => {
    events.push({ kind: 'write', path, offset, bytes });
    sizes.set(path, Math.max(sizes.get(path) ?? 0, offset + bytes.length));
  };

  for (const line of lines) {
    const [, call = '', rest = ''] = /^[\d.]+ (\w+)\((.*)$/.exec(line) ?? [];
    const strings = [...rest.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map((match) => match[1] ?? '');
    const handle = /^\d+<((?:\\x[0-9a-f]{2})+)>/.exec(rest)?.[1];
    const path = inside(handle);
    if (call === 'openat') openFile(rest, inside(strings[0]));
    else if (call.startsWith('rename')) {
      const [from, to] = [inside(strings[0]), inside(strings[1])];
      if (from === null || to === null) continue;
      events.push({ kind: 'rename', from, to });
      sizes.set(to, sizes.get(from) ?? 0);
      sizes.delete(from);
    } else if (call.startsWith('unlink')) {
      const gone = inside(strings[0]);
      if (gone !== null && gone !== '') events.push({ kind: 'unlink', path: gone });
      sizes.delete(gone ?? '');
    } else if (call.startsWith('mkdir')) {
      const made = inside(strings[0]);
      if (made) events.push({ kind: 'mkdir', path: made });
    } else if (call === 'write' && rest.startsWith('1<')) {
      for (const said of text(strings[0] ?? '').split('\n')) {
        if (said.startsWith('ACK ')) events.push({ kind: 'ack', what: said.slice(4) });
      }
    } else if (path === null) continue;
    else if (call === 'fsync' || call === 'fdatasync') events.push({ kind: 'sync', path });
    else if (call === 'ftruncate') {
      const size = Number(/, (\d+)\)/.exec(rest)?.[1]);
      events.push({ kind: 'truncate', path, size });
      sizes.set(path, size);
    } else if (call === 'pwrite64') {
      write(path, Number(/, (\d+)\) = \d+$/.exec(rest)?.[1]), bytesOf(strings[0]));
    } else if (call === 'write' || call === 'writev') {
      const offset = cursors.get(path) ?? 0;
      const bytes = Buffer.concat(strings.map((hex) => bytesOf(hex)));
      write(path, offset, bytes);
      cursors.set(path, offset + bytes.length);
    }
  }
  return events;

  function openFile(rest: string, path: string | null): void {
    if (path === null || path === '' || rest.includes('O_DIRECTORY')) return;
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

const bytesOf = (hex: string | undefined): Buffer => Buffer.from((hex ?? '').replaceAll('\\x', ''), 'hex');

type Change = Extract<DiskEvent, { kind: 'write' | 'truncate' }>;

/** One file's bytes: what is safe, and what was done since and may be lost. */
interface Inode {
  synced: Bytes;
  pending: Change[];
}

/** Bytes that grow in place. */
interface Bytes {
  buffer: Buffer;
  size: number;
}

/** A disk that is fed with events and can be looked at as a power cut would leave it, again and again. */
export interface RecordedDisk {
  feed(event: DiskEvent): void;
  /**
   * Builds the folder: what was synced is there; of what was not, each write is whole, missing, halved or torn by
   * sectors, and the changes of names have happened up to some point. `chance` decides.
   */
  cutInto(folder: string, chance: () => number): void;
}

type Names = Map<string, Inode>;

export function createRecordedDisk(): RecordedDisk {
  const durable: Names = new Map();
  const live: Names = new Map();
  /** Changes of names since the last sync of their folder, in order. */
  let unsynced: { dir: string; apply(names: Names): void }[] = [];
  const folders = new Set<string>();

  const rename = (path: string, apply: (names: Names) => void) => {
    apply(live);
    unsynced.push({ dir: dirname(path), apply });
  };

  function sync(path: string): void {
    const inode = live.get(path);
    if (inode) {
      for (const change of inode.pending) apply(inode.synced, change, 'whole');
      inode.pending = [];
      return;
    }
    const dir = path === '' ? '.' : path;
    for (const one of unsynced) if (one.dir === dir) one.apply(durable);
    unsynced = unsynced.filter((one) => one.dir !== dir);
  }

  return {
    feed(event) {
      switch (event.kind) {
        case 'ack':
          break;
        case 'mkdir':
          folders.add(event.path);
          break;
        case 'create': {
          const inode: Inode = { synced: { buffer: Buffer.alloc(0), size: 0 }, pending: [] };
          rename(event.path, (names) => names.set(event.path, inode));
          break;
        }
        case 'write':
        case 'truncate':
          live.get(event.path)?.pending.push(event);
          break;
        case 'rename': {
          const inode = live.get(event.from);
          if (!inode) break;
          rename(event.to, (names) => {
            names.delete(event.from);
            names.set(event.to, inode);
          });
          break;
        }
        case 'unlink':
          rename(event.path, (names) => names.delete(event.path));
          break;
        case 'sync':
          sync(event.path);
          break;
      }
    },
    cutInto(folder, chance) {
      // A journal keeps the order of names, so some first part of the rest has made it.
      const names = new Map(durable);
      for (const one of unsynced.slice(0, Math.floor(chance() * (unsynced.length + 1)))) one.apply(names);
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      for (const path of folders) mkdirSync(join(folder, path), { recursive: true });
      for (const [path, inode] of names) {
        const bytes = { buffer: Buffer.from(inode.synced.buffer), size: inode.synced.size };
        for (const change of inode.pending) apply(bytes, change, fateOf(chance()));
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), bytes.buffer.subarray(0, bytes.size));
      }
    },
  };
}

type Fate = 'whole' | 'lost' | 'halved' | 'torn';

const SECTOR = 512;

const fateOf = (chance: number): Fate =>
  chance < 0.4 ? 'whole' : chance < 0.7 ? 'lost' : chance < 0.85 ? 'halved' : 'torn';

function apply(target: Bytes, change: Change, fate: Fate): void {
  if (fate === 'lost') return;
  if (change.kind === 'truncate') {
    reserve(target, change.size);
    if (change.size > target.size) target.buffer.fill(0, target.size, change.size);
    target.size = change.size;
    return;
  }
  const bytes = partOf(change.bytes, fate);
  const end = change.offset + bytes.length;
  reserve(target, end);
  if (change.offset > target.size) target.buffer.fill(0, target.size, change.offset);
  bytes.copy(target.buffer, change.offset);
  target.size = Math.max(target.size, end);
}

function reserve(target: Bytes, size: number): void {
  if (size <= target.buffer.length) return;
  const larger = Buffer.alloc(Math.max(size, target.buffer.length * 2));
  target.buffer.copy(larger, 0, 0, target.size);
  target.buffer = larger;
}

function partOf(bytes: Buffer, fate: Fate): Buffer {
  if (fate === 'halved') return bytes.subarray(0, Math.floor(bytes.length / 2 / SECTOR) * SECTOR);
  if (fate !== 'torn') return bytes;
  const torn = Buffer.from(bytes);
  for (let at = SECTOR; at < torn.length; at += 2 * SECTOR)
    torn.fill(0, at, Math.min(torn.length, at + SECTOR));
  return torn;
}
