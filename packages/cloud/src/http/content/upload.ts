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
import type { StagedBlob } from '../../blob/blob-store.ts';
import { splitTags, toDisplayName } from '../../domain/display-name.ts';
import { validationMessage } from '../../domain/validation-message.ts';
import { ApiError, validationError } from '../../domain/api-error.ts';
import { route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { createConcurrencyLimit } from '../concurrency-limit.ts';
import { requireAsset } from './content.ts';
import { findContentWarnings } from './content-warnings.ts';
import { createAsset } from './create-asset.ts';
import { replaceAsset } from './replace-asset.ts';
import { watchForStall } from './watch-for-stall.ts';
import { errorCode, errorMessage } from '../../domain/error-details.ts';

const fieldsSchema = z.strictObject({
  name: name.optional(),
  tags: tags.optional(),
  folder_id: reference.optional(),
});

/** Concurrent uploads per API key. */
const MAX_CONCURRENT_UPLOADS = 8;
/** Allowance for the other fields and the boundaries of the form. */
const FORM_OVERHEAD_BYTES = 1_048_576;

export function uploadRoutes(deps: HttpDeps): Route[] {
  const uploads = createConcurrencyLimit(MAX_CONCURRENT_UPLOADS, 'uploads');
  return [
    route(operations.uploadContent, async ({ request, actor, nowMs, commit }) => {
      const form = await uploads.run({ request, actor }, () => readForm(request, deps));
      const description = {
        name: form.fields.name ?? form.fileName,
        tags: form.fields.tags ?? [],
        folderId: form.fields.folder_id ?? null,
      };
      const fingerprint = JSON.stringify([form.staged.sha256, description]);
      return createAsset(form.staged, { description, owner: actor?.id ?? '', nowMs }, deps, (write) =>
        commit(write, fingerprint),
      );
    }),
    route(operations.replaceContent, async ({ params, request, actor, nowMs, commit }) => {
      await requireAsset(deps.database, params.id);
      const { staged, fields: change } = await uploads.run({ request, actor }, () => readForm(request, deps));
      const fingerprint = JSON.stringify([staged.sha256, change]);
      const replacement = { id: params.id, change, owner: actor?.id ?? '', nowMs };
      return replaceAsset(staged, replacement, deps, async (write, video) => {
        const options = { stores: actor?.stores, isNew: true };
        const warnings = await findContentWarnings(deps.database, video, options);
        return commit(async (tx) => {
          const result = await write(tx);
          return 'data' in result ? { ...result, data: { ...result.data, warnings } } : result;
        }, fingerprint);
      });
    }),
  ];
}

interface UploadForm {
  staged: StagedBlob;
  fileName: string;
  fields: z.output<typeof fieldsSchema>;
}

/** Streams the file of the form to disk and reads the other fields, in any order. */
async function readForm(request: FastifyRequest, deps: HttpDeps): Promise<UploadForm> {
  const { clock, disk } = deps;
  if (!request.isMultipart()) {
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Send the file as multipart/form-data, in the field "file".',
    );
  }
  if (Number(request.headers['content-length'] ?? 0) > MAX_FILE_BYTES + FORM_OVERHEAD_BYTES) {
    throw fileTooLargeError();
  }
  disk.requireSpaceFor(Number(request.headers['content-length'] ?? 0));

  // The multipart parser would wait forever for a client that disconnected before parsing began.
  if (request.raw.destroyed) {
    throw new Error('the client disconnected before its form was read');
  }
  const problems: Problem[] = [];
  const stopWatching = watchForStall(request.raw.socket, clock);
  const texts: Record<string, string> = {};
  const files: { staged: StagedBlob; fileName: string }[] = [];
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') {
        if (part.fieldname in texts) {
          problems.push({ path: part.fieldname, message: 'is given twice' });
        }
        // A part with content-type application/json has an object value.
        if (typeof part.value === 'string') {
          texts[part.fieldname] = part.value;
        } else {
          problems.push({ path: part.fieldname, message: 'must be text' });
        }
        if (part.valueTruncated) {
          problems.push({ path: part.fieldname, message: 'is too long' });
        }
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
      files.push(await receiveFile(part, deps));
    }
    const parsed = fieldsSchema.safeParse(
      { ...texts, ...(texts['tags'] === undefined ? {} : { tags: splitTags(texts['tags']) }) },
      { error: validationMessage },
    );
    if (!parsed.success) {
      for (const issue of parsed.error.issues) {
        if (issue.code === 'unrecognized_keys') {
          problems.push(...issue.keys.map((key) => ({ path: key, message: 'is not a known field' })));
        } else {
          problems.push({ path: String(issue.path[0] ?? ''), message: issue.message });
        }
      }
    }
    const [file] = files;
    if (!file) {
      problems.push({ path: 'file', message: 'is required' });
    }
    if (problems.length > 0 || !file || !parsed.success) {
      throw validationError(problems);
    }
    return { ...file, fields: parsed.data };
  } catch (error) {
    for (const file of files) {
      await file.staged.release();
    }
    throw toFormError(error);
  } finally {
    stopWatching();
  }
}

async function receiveFile(part: MultipartFile, { blobs, inspector }: HttpDeps) {
  inspector.warmUp();
  const staged = await blobs.receive(part.file, MAX_FILE_BYTES);
  if (staged === 'too_large' || part.file.truncated) {
    if (staged !== 'too_large') {
      await staged.release();
    }
    throw fileTooLargeError();
  }
  return { staged, fileName: toDisplayName(part.filename) };
}

export const fileTooLargeError = () =>
  new ApiError('FILE_TOO_LARGE', 'The file is larger than 2 GB (2,147,483,648 bytes).', {
    headers: { connection: 'close' },
  });

function toFormError(error: unknown): unknown {
  const code = errorCode(error) ?? '';
  if (code === 'FST_PARTS_LIMIT' || code === 'FST_FILES_LIMIT' || code === 'FST_FIELDS_LIMIT') {
    return validationError([{ path: '', message: 'the form has too many fields' }]);
  }
  if (code === 'FST_PROTO_VIOLATION') {
    return validationError([{ path: '', message: 'the form has a field with a name that is not allowed' }]);
  }
  const message = errorMessage(error);
  if (/^(Unexpected end of|Part terminated early|Malformed|Multipart)/i.test(message)) {
    return validationError([{ path: '', message: `the form is incomplete or malformed: ${message}` }]);
  }
  // Error of the streamsearch library: the boundary plus its prefix is the needle, which has a maximum length.
  if (message.startsWith('The needle')) {
    return validationError([
      { path: 'content-type', message: 'must name a boundary of at most 70 characters' },
    ]);
  }
  return error;
}
