import { contentOperations as operations, MAX_FILE_BYTES } from '@placard/protocol/api';
import type { Received } from '../../blob/blob-store.ts';
import { isRefusal, refusal } from '../../domain/refusal.ts';
import { messageOf } from '../../domain/error-facts.ts';
import { storageTroubleOf } from '../../domain/storage-trouble.ts';
import { failureOf } from '../../webhooks/outbound.ts';
import type { Outbound } from '../../webhooks/outbound.ts';
import { route } from '../call.ts';
import type { Route } from '../call.ts';
import type { HttpDeps } from '../deps.ts';
import { createLongWork } from '../long-work.ts';
import { acceptFile } from './accept.ts';
import { requireFolder } from './folders.ts';
import { displayName, tooLarge } from './upload.ts';

const MOST_REDIRECTS = 5;
const TIMEOUT_MS = 15 * 60_000;
/** Files that are fetched for one key at the same time. */
const MOST_AT_ONCE = 4;

/** Fetches a file from an address that the caller names. */
export function importRoutes(
  deps: Pick<HttpDeps, 'store' | 'blobs' | 'links' | 'newId' | 'media' | 'outbound' | 'disk'>,
): Route[] {
  const imports = createLongWork(MOST_AT_ONCE, 'imports');
  return [
    route(operations.importContent, async ({ body, request, key, nowMs, commit }) => {
      if (body.folder_id) await requireFolder(deps.store, body.folder_id);
      deps.disk.requireRoomFor(0);
      const { received, finalUrl } = await imports.run({ request, key }, (signal) =>
        fetchFile(new URL(body.url), signal, deps),
      );
      const about = {
        name: body.name ?? nameOf(finalUrl),
        tags: body.tags ?? [],
        folderId: body.folder_id ?? null,
      };
      return acceptFile(received, { about, owner: key?.id ?? '', nowMs }, deps, commit);
    }),
  ];
}

async function fetchFile(
  url: URL,
  signal: AbortSignal,
  { outbound, blobs }: { outbound: Outbound; blobs: HttpDeps['blobs'] },
): Promise<{ received: Received; finalUrl: URL }> {
  const response = await outbound.request({
    url,
    method: 'GET',
    redirects: MOST_REDIRECTS,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if ('failure' in response) throw failed(response.failure, response.message);
  if (response.status !== 200) {
    response.body.destroy();
    throw failed('http_status', `the address answered ${response.status}`, { status: response.status });
  }
  try {
    const received = await blobs.receive(response.body, MAX_FILE_BYTES);
    if (received === 'too_large') throw tooLarge();
    return { received, finalUrl: response.url };
  } catch (error) {
    throw isRefusal(error) || storageTroubleOf(error) ? error : failed(failureOf(error), messageOf(error));
  }
}

const failed = (reason: string, message: string, facts: Record<string, unknown> = {}) =>
  refusal('IMPORT_FAILED', `The file could not be fetched: ${message}.`, { details: { reason, ...facts } });

function nameOf(url: URL): string {
  const last = url.pathname.split('/').at(-1) ?? '';
  try {
    return displayName(decodeURIComponent(last) || url.hostname);
  } catch {
    return displayName(last);
  }
}
