import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { once } from 'node:events';
import { run } from '../../scripts/run.ts';

/**
 * A disk whose write cache is lost in a power cut. QEMU alone cannot lose unflushed writes: when its process is killed,
 * data that it handed to the host stays; and the log of `blklogwrites` would need a replay tool that Debian does not
 * have. So QEMU uses this disk over the protocol of network block devices (NBD), and unflushed data is in the memory of
 * this process.
 */
export interface VolatileDisk {
  /** Address of the disk for QEMU. */
  readonly address: string;
  /** Loses unflushed blocks at random, like a disk that reorders writes. */
  losePower(): { lost: number; kept: number };
  close(): Promise<void>;
}

const BLOCK_BYTES = 4096;

const HELLO = 0x4e42444d41474943n;
const OPTION = 0x49484156454f5054n;
const OPTION_REPLY = 0x0003e889045565a9n;
const REQUEST = 0x25609513;
const REPLY = 0x67446698;
const FIXED_NEWSTYLE_NO_ZEROES = 3;
/** Flags: has flags, supports flush and FUA. */
const EXPORT_FLAGS = 1 | 4 | 8;
const WRITE_THROUGH = 1;
const OPTIONS = { exportName: 1, abort: 2, info: 6, go: 7 };
const OPTION_REPLIES = { ack: 1, info: 3, unsupported: 0x80000001 };
const COMMANDS = { read: 0, write: 1, disconnect: 2, flush: 3 };
const INVALID = 22;

/** Copies `base` into a disk and serves it at the socket file. `chance` returns 0 ≤ number < 1. */
export async function openVolatileDisk(
  base: string,
  { file, socket, random }: { file: string; socket: string; random: () => number },
): Promise<VolatileDisk> {
  run('cp', ['--sparse=always', base, file]);
  const disk = openSync(file, 'r+');
  const { size } = fstatSync(disk);
  /** Blocks that were written and not flushed, by number. */
  const cache = new Map<number, Buffer>();

  const blockAt = (index: number): Buffer => {
    const cached = cache.get(index);
    if (cached) {
      return cached;
    }
    const block = Buffer.alloc(BLOCK_BYTES);
    readSync(disk, block, 0, BLOCK_BYTES, index * BLOCK_BYTES);
    return block;
  };
  const store = (index: number, block: Buffer) => writeSync(disk, block, 0, BLOCK_BYTES, index * BLOCK_BYTES);

  function read(offset: number, length: number): Buffer {
    const first = Math.floor(offset / BLOCK_BYTES);
    const after = Math.ceil((offset + length) / BLOCK_BYTES);
    const blocks = Buffer.alloc((after - first) * BLOCK_BYTES);
    readSync(disk, blocks, 0, blocks.length, first * BLOCK_BYTES);
    for (let index = first; index < after; index++) {
      cache.get(index)?.copy(blocks, (index - first) * BLOCK_BYTES);
    }
    const from = offset - first * BLOCK_BYTES;
    return blocks.subarray(from, from + length);
  }

  function write(offset: number, data: Buffer, writeThrough: boolean): void {
    for (let at = 0; at < data.length;) {
      const index = Math.floor((offset + at) / BLOCK_BYTES);
      const from = offset + at - index * BLOCK_BYTES;
      const part = data.subarray(at, at + BLOCK_BYTES - from);
      const block = Buffer.from(blockAt(index));
      part.copy(block, from);
      if (writeThrough) {
        store(index, block);
        cache.delete(index);
      } else {
        cache.set(index, block);
      }
      at += part.length;
    }
  }

  function flush(): void {
    for (const [index, block] of cache) {
      store(index, block);
    }
    cache.clear();
  }

  const sockets = new Set<Socket>();
  const server = createServer((connection) => {
    sockets.add(connection);
    connection.on('error', () => {});
    connection.on('close', () => sockets.delete(connection));
    void serve(connection, { size, read, write, flush }).catch(() => connection.destroy());
  });
  server.listen(socket);
  await once(server, 'listening');
  return {
    address: `nbd:unix:${socket}`,
    losePower() {
      // Data still in the sockets was never written.
      for (const connection of sockets) {
        connection.destroy();
      }
      let kept = 0;
      const lost = [...cache].filter(([index, block]) => {
        if (random() < 0.5) {
          return true;
        }
        store(index, block);
        kept += 1;
        return false;
      }).length;
      cache.clear();
      return { lost, kept };
    },
    async close() {
      for (const connection of sockets) {
        connection.destroy();
      }
      server.close();
      await once(server, 'close');
      closeSync(disk);
    },
  };
}

interface BlockDevice {
  size: number;
  read(offset: number, length: number): Buffer;
  write(offset: number, data: Buffer, writeThrough: boolean): void;
  flush(): void;
}

/** Serves one connection. Rejects when the client disconnects. */
async function serve(connection: Socket, disk: BlockDevice): Promise<void> {
  const readBytes = createReader(connection);
  connection.write(Buffer.concat([u64(HELLO), u64(OPTION), u16(FIXED_NEWSTYLE_NO_ZEROES)]));
  await readBytes(4);
  if (!(await negotiate(connection, readBytes, disk))) {
    return;
  }
  for (;;) {
    const head = await readBytes(28);
    if (head.readUInt32BE(0) !== REQUEST) {
      throw new Error('not an NBD request');
    }
    const writeThrough = (head.readUInt16BE(4) & WRITE_THROUGH) !== 0;
    const command = head.readUInt16BE(6);
    const offset = Number(head.readBigUInt64BE(16));
    const length = head.readUInt32BE(24);
    const reply = (error: number, data: Uint8Array = Buffer.alloc(0)) =>
      connection.write(Buffer.concat([u32(REPLY), u32(error), head.subarray(8, 16), data]));
    switch (command) {
      case COMMANDS.read:
        reply(0, disk.read(offset, length));
        break;
      case COMMANDS.write:
        disk.write(offset, await readBytes(length), writeThrough);
        reply(0);
        break;
      case COMMANDS.flush:
        disk.flush();
        reply(0);
        break;
      case COMMANDS.disconnect:
        connection.end();
        return;
      default:
        reply(INVALID);
    }
  }
}

/** The NBD handshake; returns whether requests will follow. */
async function negotiate(connection: Socket, readBytes: ReadBytes, { size }: BlockDevice): Promise<boolean> {
  for (;;) {
    const head = await readBytes(16);
    if (head.readBigUInt64BE(0) !== OPTION) {
      throw new Error('not an NBD option');
    }
    const option = head.readUInt32BE(8);
    await readBytes(head.readUInt32BE(12));
    const reply = (type: number, data = Buffer.alloc(0)) =>
      connection.write(Buffer.concat([u64(OPTION_REPLY), u32(option), u32(type), u32(data.length), data]));
    const described = Buffer.concat([u64(BigInt(size)), u16(EXPORT_FLAGS)]);
    switch (option) {
      case OPTIONS.exportName:
        connection.write(described);
        return true;
      case OPTIONS.info:
      case OPTIONS.go:
        reply(OPTION_REPLIES.info, Buffer.concat([u16(0), described]));
        reply(OPTION_REPLIES.ack);
        if (option === OPTIONS.go) {
          return true;
        }
        break;
      case OPTIONS.abort:
        reply(OPTION_REPLIES.ack);
        connection.end();
        return false;
      default:
        reply(OPTION_REPLIES.unsupported);
    }
  }
}

type ReadBytes = (bytes: number) => Promise<Buffer>;

/** Reads a number of bytes, in order. */
function createReader(connection: Socket): ReadBytes {
  let parts: Buffer[] = [];
  let bufferedBytes = 0;
  let wake: (() => void) | null = null;
  connection.on('data', (part: Buffer) => {
    parts.push(part);
    bufferedBytes += part.length;
    wake?.();
  });
  connection.on('close', () => wake?.());
  return async (bytes) => {
    for (;;) {
      if (bufferedBytes >= bytes) {
        break;
      }
      if (connection.destroyed || connection.readableEnded) {
        throw new Error('the client has disconnected');
      }
      await new Promise<void>((resolve) => (wake = resolve));
    }
    const all = Buffer.concat(parts);
    parts = [all.subarray(bytes)];
    bufferedBytes = all.length - bytes;
    return all.subarray(0, bytes);
  };
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}
