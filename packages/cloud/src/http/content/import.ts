import { contentOperations as operations, MAX_FILE_BYTES } from '@placard/protocol/api';
import type { StagedBlob } from '../../blob/blob-store.ts';
import { ApiError } from '../../domain/api-error.ts';
import { toDisplayName } from '../../domain/display-name.ts';
import { errorMessage } from '../../domain/error-details.ts';
import { storageFailureOf } from '../../domain/storage-failure.ts';
import { classifyFailure } from '../../outbound/outbound-client.ts';
import { route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { createConcurrencyLimit } from '../concurrency-limit.ts';
import { createAsset } from './create-asset.ts';
import { requireFolder } from './folders.ts';
import { fileTooLargeError } from './upload.ts';

const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 15 * 60_000;
/** Concurrent imports per API key. */
const MAX_CONCURRENT_IMPORTS = 4;

export function importRoutes(deps: HttpDeps): Route[] {
  const imports = createConcurrencyLimit(MAX_CONCURRENT_IMPORTS, 'imports');
  return [
    route(operations.importContent, async ({ body, request, actor, nowMs, commit }) => {
      if (body.folder_id) {
        await requireFolder(deps.database, body.folder_id);
      }
      deps.disk.requireSpaceFor(0);
      const { staged, finalUrl } = await imports.run({ request, actor }, (signal) =>
        fetchFile(new URL(body.url), signal, deps),
      );
      const description = {
        name: body.name ?? fileNameOf(finalUrl),
        tags: body.tags ?? [],
        folderId: body.folder_id ?? null,
      };
      return createAsset(staged, { description, owner: actor?.id ?? '', nowMs }, deps, commit);
    }),
  ];
}

async function fetchFile(
  url: URL,
  signal: AbortSignal,
  { outboundClient, blobs, inspector }: HttpDeps,
): Promise<{ staged: StagedBlob; finalUrl: URL }> {
  const response = await outboundClient.request({
    url,
    method: 'GET',
    maxRedirects: MAX_REDIRECTS,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if ('failure' in response) {
    throw importFailedError(response.failure, response.message);
  }
  if (response.status !== 200) {
    response.body.destroy();
    throw importFailedError('http_status', `the server responded with status ${response.status}`, {
      status: response.status,
    });
  }
  inspector.warmUp();
  try {
    const staged = await blobs.receive(response.body, MAX_FILE_BYTES);
    if (staged === 'too_large') {
      throw fileTooLargeError();
    }
    return { staged, finalUrl: response.url };
  } catch (error) {
    throw error instanceof ApiError || storageFailureOf(error)
      ? error
      : importFailedError(classifyFailure(error), errorMessage(error));
  }
}

const importFailedError = (reason: string, message: string, details: Record<string, unknown> = {}) =>
  new ApiError('IMPORT_FAILED', `The file could not be fetched: ${message}.`, {
    details: { reason, ...details },
  });

function fileNameOf(url: URL): string {
  const last = url.pathname.split('/').at(-1) ?? '';
  try {
    return toDisplayName(decodeURIComponent(last) || url.hostname);
  } catch {
    return toDisplayName(last);
  }
}
