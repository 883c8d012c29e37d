import type { Socket } from 'node:net';
import type { MultipartFile } from '@fastify/multipart';
import {
  contentOperations as operations,
  MAX_FILE_BYTES,
  name,
  reference,
  tags,
} from '@placard/protocol/api';
import type { Problem } from '@placard/protocol/api';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { BlobStore, Received } from '../../blob/blob-store.ts';
import type { Clock } from '../../domain/clock.ts';
import { problemSentence } from '../../domain/problem-sentence.ts';
import { invalid, refusal } from '../../domain/refusal.ts';
import { route } from '../call.ts';
import type { Route } from '../call.ts';
import type { HttpDeps } from '../deps.ts';
import { createLongWork } from '../long-work.ts';
import { acceptFile } from './accept.ts';
import { codeOf, messageOf } from '../../domain/error-facts.ts';

const fields = z.strictObject({
  name: name.optional(),
  tags: tags.optional(),
  folder_id: reference.optional(),
});

/** How often an upload is looked at: one of which nothing came since is given up, */
const STALL_MS = 60_000;
/** and one of which less came than this, after its first minute. */
const SLOWEST_BYTES_PER_MS = 10;
/** Files of one key that arrive at the same time. */
const MOST_AT_ONCE = 8;
/** Room for the other fields and the boundaries of the form. */
const FORM_OVERHEAD_BYTES = 1_048_576;

export function uploadRoutes(
  deps: Pick<HttpDeps, 'store' | 'blobs' | 'links' | 'newId' | 'clock' | 'media' | 'disk'>,
): Route[] {
  const uploads = createLongWork(MOST_AT_ONCE, 'uploads');
  return [
    route(operations.uploadContent, async ({ request, key, nowMs, commit }) => {
      const form = await uploads.run({ request, key }, () => readForm(request, deps));
      const about = {
        name: form.fields.name ?? form.fileName,
        tags: form.fields.tags ?? [],
        folderId: form.fields.folder_id ?? null,
      };
      const fingerprint = JSON.stringify([form.received.sha256, about]);
      return acceptFile(form.received, { about, owner: key?.id ?? '', nowMs }, deps, (write) =>
        commit(write, fingerprint),
      );
    }),
  ];
}

interface Form {
  received: Received;
  fileName: string;
  fields: z.output<typeof fields>;
}

/** Streams the file of the form to disk and reads the other fields, in whatever order they come. */
async function readForm(
  request: FastifyRequest,
  { blobs, clock, disk }: Pick<HttpDeps, 'blobs' | 'clock' | 'disk'>,
): Promise<Form> {
  if (!request.isMultipart())
    throw refusal('UNSUPPORTED_MEDIA_TYPE', 'Send the file as multipart/form-data, in the field "file".');
  if (Number(request.headers['content-length'] ?? 0) > MAX_FILE_BYTES + FORM_OVERHEAD_BYTES) throw tooLarge();
  disk.requireRoomFor(Number(request.headers['content-length'] ?? 0));

  // The reader of forms would wait for ever for a client that left before it began.
  if (request.raw.destroyed) throw new Error('the client left before its form was read');
  const problems: Problem[] = [];
  const stopWatching = watchForStall(request.raw.socket, clock);
  const texts: Record<string, string> = {};
  const files: { received: Received; fileName: string }[] = [];
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        if (part.fieldname in texts) problems.push({ path: part.fieldname, message: 'is given twice' });
        // A field may say of itself that it is JSON.
        if (typeof part.value === 'string') texts[part.fieldname] = part.value;
        else problems.push({ path: part.fieldname, message: 'must be text' });
        if (part.valueTruncated) problems.push({ path: part.fieldname, message: 'is too long' });
        continue;
      }
      if (part.fieldname !== 'file' || files.length > 0) {
        problems.push({
          path: part.fieldname,
          message: part.fieldname === 'file' ? 'is given twice' : 'is not a known field',
        });
        part.file.resume();
        continue;
      }
      files.push(await receiveFile(part, blobs));
    }
    const read = fields.safeParse(
      { ...texts, ...(texts['tags'] === undefined ? {} : { tags: splitTags(texts['tags']) }) },
      { error: problemSentence },
    );
    if (!read.success)
      for (const issue of read.error.issues) {
        if (issue.code === 'unrecognized_keys')
          problems.push(...issue.keys.map((key) => ({ path: key, message: 'is not a known field' })));
        else problems.push({ path: String(issue.path[0] ?? ''), message: issue.message });
      }
    const [file] = files;
    if (!file) problems.push({ path: 'file', message: 'is required' });
    if (problems.length > 0 || !file || !read.success) throw invalid(problems);
    return { ...file, fields: read.data };
  } catch (error) {
    for (const file of files) await file.received.release();
    throw translate(error);
  } finally {
    stopWatching();
  }
}

/** Ends a connection on which nothing comes any more, or next to nothing: a network that died does not say so. */
function watchForStall(socket: Socket, clock: Clock): () => void {
  const [startedMs, startedAtBytes] = [clock.nowMs(), socket.bytesRead];
  let seen = startedAtBytes;
  const look = () => {
    const least = (clock.nowMs() - startedMs - STALL_MS) * SLOWEST_BYTES_PER_MS;
    if (socket.bytesRead === seen || socket.bytesRead - startedAtBytes < least) {
      socket.destroy();
      return;
    }
    seen = socket.bytesRead;
    cancel = clock.setTimer(STALL_MS, look);
  };
  let cancel = clock.setTimer(STALL_MS, look);
  return () => cancel();
}

async function receiveFile(part: MultipartFile, blobs: BlobStore) {
  const received = await blobs.receive(part.file, MAX_FILE_BYTES);
  if (received === 'too_large' || part.file.truncated) {
    if (received !== 'too_large') await received.release();
    throw tooLarge();
  }
  return { received, fileName: displayName(part.filename) };
}

export const tooLarge = () =>
  refusal('FILE_TOO_LARGE', 'The file is larger than 2 GB (2,147,483,648 bytes).', {
    headers: { connection: 'close' },
  });

/** The name of a file without its folders, fit to be shown; never used as a path. */
export function displayName(fileName: string | undefined): string {
  const last = (fileName ?? '').split(/[\\/]/).at(-1) ?? '';
  const plain = last
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '')
    .trim();
  let cut = '';
  // By whole characters: half of one is no text.
  for (const character of plain) {
    if (cut.length + character.length > 200) break;
    cut += character;
  }
  return cut.trim() || 'Untitled';
}

const splitTags = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');

/** What the form reader does not like is the client's mistake. */
function translate(error: unknown): unknown {
  const code = codeOf(error) ?? '';
  if (code === 'FST_PARTS_LIMIT' || code === 'FST_FILES_LIMIT' || code === 'FST_FIELDS_LIMIT')
    return invalid([{ path: '', message: 'has too many fields' }]);
  if (code === 'FST_PROTO_VIOLATION')
    return invalid([{ path: '', message: 'has a field with a name that is not allowed' }]);
  const message = messageOf(error);
  if (/^(Unexpected end of|Part terminated early|Malformed|Multipart)/i.test(message))
    return invalid([{ path: '', message: `is not a complete form: ${message}` }]);
  // The boundary, with what stands before it, is what the form is searched for.
  if (message.startsWith('The needle'))
    return invalid([{ path: 'content-type', message: 'must name a boundary of at most 70 characters' }]);
  return error;
}
