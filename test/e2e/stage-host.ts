import { createHash, randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, extname, join, resolve } from 'node:path';
import type { FromStageMessage, StageShowing, ToStageMessage } from '@placard/protocol/stage';
import { createStageServer } from '../../src/stage-link/server.ts';
import type { StageServer } from '../../src/stage-link/server.ts';

const RENDERER_DIR = resolve(import.meta.dirname, '../../dist/renderer');
const SAMPLES_DIR = resolve(import.meta.dirname, '../media');
const SHORT_VIDEO = resolve(import.meta.dirname, '../../packages/cloud/test/media/red-then-blue-avc.mp4');
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.avif': 'image/avif',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
};

export type MessageOfType<Type extends FromStageMessage['type']> = Extract<FromStageMessage, { type: Type }>;

/** A real loopback server with media, controlled in place of the runtime; the caller provides the browser. */
export interface StageHost {
  /** A one-time URL of the page. */
  issuePageUrl(): string;
  /** Messages of the page, without beats; includes the `hello` of every connection. */
  readonly messages: FromStageMessage[];
  readonly beatCount: () => number;
  send(message: ToStageMessage): void;
  /** Messages of this type so far; if an id is given, only of this showing. */
  messagesOfType<Type extends FromStageMessage['type']>(type: Type, id?: string): MessageOfType<Type>[];
  /** Stores a media file; returns its path on the server. */
  addMedia(name: string, bytes: Uint8Array): Promise<string>;
  addSample(name: string): Promise<string>;
  /** A video of three seconds, for tests that wait for its end. */
  addShortVideo(): Promise<string>;
  sampleBytes(name: string): Promise<Buffer>;
  /** From now on the server sends this many bytes of this file in total, and then stalls. */
  stopSendingAfter(url: string, afterBytes: number): void;
  /** Stops the loopback server, as when the runtime dies. */
  stopServer(): Promise<void>;
  /** Starts it on the same port with the same session. */
  startServer(): Promise<void>;
}

/** Media are stored in `folder`, which the caller removes after `stopServer`. */
export async function startStageHost(folder: string): Promise<StageHost> {
  const session = randomUUID() + randomUUID();
  const media = new Map<string, { path: string; size: number; contentType: string }>();
  const messages: FromStageMessage[] = [];
  let beatCount = 0;
  let port = 0;
  let server: StageServer | null = null;

  const sendLimits = new Map<string, { leftBytes: number }>();
  function limitResponse(message: unknown): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what Node publishes on this channel
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const limit = sendLimits.get(request.url ?? '');
    if (!limit) {
      return;
    }
    const write = response.write.bind(response);
    // The last chunk is never acknowledged, so no further one is sent.
    response.write = (chunk: Buffer) => {
      const piece = chunk.subarray(0, limit.leftBytes);
      limit.leftBytes -= piece.length;
      if (piece.length > 0) {
        write(piece);
      }
      return piece.length === chunk.length;
    };
  }

  async function startServer(): Promise<void> {
    subscribe('http.server.request.start', limitResponse);
    server = createStageServer({
      rendererDir: RENDERER_DIR,
      session,
      log: { info: () => {}, warn: () => {} },
      findMedia: async (sha256) => media.get(sha256) ?? null,
      onMessage: (message) => {
        if (message.type === 'beat') {
          beatCount += 1;
        } else {
          messages.push(message);
        }
        if ('seq' in message && message.seq) {
          server?.send({ type: 'ack', seq: message.seq });
        }
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
    messages,
    beatCount: () => beatCount,
    send: (message) => server?.send(message),
    messagesOfType: <Type extends FromStageMessage['type']>(type: Type, id?: string) =>
      messages.filter(
        (message): message is MessageOfType<Type> =>
          message.type === type &&
          (id === undefined || ('showing_id' in message && message.showing_id === id)),
      ),
    addMedia,
    addSample: async (name) => addMedia(name, await readFile(join(SAMPLES_DIR, name))),
    addShortVideo: async () => addMedia(basename(SHORT_VIDEO), await readFile(SHORT_VIDEO)),
    sampleBytes: (name) => readFile(join(SAMPLES_DIR, name)),
    stopSendingAfter: (url, afterBytes) => void sendLimits.set(url, { leftBytes: afterBytes }),
    async stopServer() {
      unsubscribe('http.server.request.start', limitResponse);
      await server?.close();
      server = null;
    },
    startServer,
  };
}

export function imageShowing(id: string, url: string, duration_ms: number | null): StageShowing {
  return { id, kind: 'image', url, duration_ms, video_end_ms: null };
}

export function videoShowing(id: string, url: string, duration_ms: number | null = null): StageShowing {
  return { id, kind: 'video', url, duration_ms, video_end_ms: null };
}
