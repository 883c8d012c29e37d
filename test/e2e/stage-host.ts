import { createHash, randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, resolve } from 'node:path';
import type { FromStage, Showing, ToStage } from '../../src/stage-link/messages.ts';
import { createStageServer, type StageServer } from '../../src/stage-link/server.ts';

const RENDERER_DIR = resolve(import.meta.dirname, '../../dist/renderer');
const SAMPLES_DIR = resolve(import.meta.dirname, '../media');
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
};

export type Heard<Type extends FromStage['type']> = Extract<FromStage, { type: Type }>;

/** A real stage server with its media, and a hand that plays the runtime; the browser is somebody else's. */
export interface StageHost {
  /** Leads a browser to the page, once. */
  issuePageUrl(): string;
  /** What the page has said, without its beats; `hello` of every connection included. */
  readonly said: FromStage[];
  readonly beats: () => number;
  send(message: ToStage): void;
  /** Messages of this type so far; of this showing only, when it is given. */
  heard<Type extends FromStage['type']>(type: Type, id?: string): Heard<Type>[];
  /** Puts a file into the media store; answers with its path on the server. */
  addMedia(name: string, bytes: Uint8Array): Promise<string>;
  addSample(name: string): Promise<string>;
  sampleBytes(name: string): Promise<Buffer>;
  /** From now on the server sends so many bytes of this file, in all, and then nothing more. */
  fallSilent(url: string, afterBytes: number): void;
  /** Takes the loopback server away, as when the runtime dies. */
  stopServer(): Promise<void>;
  /** The same port and session again. */
  startServer(): Promise<void>;
}

/** Media are kept in `folder`, which is the caller's to remove after `stopServer`. */
export async function startStageHost(folder: string): Promise<StageHost> {
  const session = randomUUID() + randomUUID();
  const media = new Map<string, { path: string; size: number; contentType: string }>();
  const said: FromStage[] = [];
  let beats = 0;
  let port = 0;
  let server: StageServer | null = null;

  const silences = new Map<string, { leftBytes: number }>();
  function silence(message: unknown): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what Node publishes on this channel
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const silent = silences.get(request.url ?? '');
    if (!silent) return;
    const write = response.write.bind(response);
    // The last piece is never acknowledged, so nobody sends another one.
    response.write = (chunk: Buffer) => {
      const piece = chunk.subarray(0, silent.leftBytes);
      silent.leftBytes -= piece.length;
      if (piece.length > 0) write(piece);
      return piece.length === chunk.length;
    };
  }

  async function startServer(): Promise<void> {
    subscribe('http.server.request.start', silence);
    server = createStageServer({
      rendererDir: RENDERER_DIR,
      session,
      log: { info: () => {}, warn: () => {} },
      findMedia: async (sha256) => media.get(sha256) ?? null,
      onMessage: (message) => {
        if (message.type === 'beat') beats += 1;
        else said.push(message);
        if ('seq' in message && message.seq) server?.send({ type: 'ack', seq: message.seq });
      },
      onConnection: () => {},
    });
    port = await server.listen(port);
  }

  async function addMedia(name: string, bytes: Uint8Array): Promise<string> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const path = join(folder, name);
    await writeFile(path, bytes);
    const contentType = CONTENT_TYPES[extname(name)] ?? 'application/octet-stream';
    media.set(sha256, { path, size: bytes.length, contentType });
    return `/media/${sha256}`;
  }

  await startServer();
  return {
    issuePageUrl: () => server!.issuePageUrl(),
    said,
    beats: () => beats,
    send: (message) => server?.send(message),
    heard: <Type extends FromStage['type']>(type: Type, id?: string) =>
      said.filter(
        (message): message is Heard<Type> =>
          message.type === type &&
          (id === undefined || ('showing_id' in message && message.showing_id === id)),
      ),
    addMedia,
    addSample: async (name) => addMedia(name, await readFile(join(SAMPLES_DIR, name))),
    sampleBytes: (name) => readFile(join(SAMPLES_DIR, name)),
    fallSilent: (url, afterBytes) => void silences.set(url, { leftBytes: afterBytes }),
    async stopServer() {
      unsubscribe('http.server.request.start', silence);
      await server?.close();
      server = null;
    },
    startServer,
  };
}

export function imageShowing(id: string, url: string, duration_ms: number | null): Showing {
  return { id, kind: 'image', url, duration_ms, video_end_ms: null };
}

export function videoShowing(id: string, url: string, duration_ms: number | null = null): Showing {
  return { id, kind: 'video', url, duration_ms, video_end_ms: null };
}
