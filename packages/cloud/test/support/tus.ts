import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import type { ClientRequest } from 'node:http';
import { join } from 'node:path';
import type { ApiClient, Reply } from './client.ts';
import { ADMIN_KEY } from './test-cloud.ts';
import type { TestCloud } from './test-cloud.ts';

export const TUS = { 'tus-resumable': '1.0.0' };
const UPLOADS = '/v1/content/uploads';

export const metadataOf = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');

export const digest = (algorithm: string, bytes: Uint8Array, encoding: 'hex' | 'base64') =>
  createHash(algorithm).update(bytes).digest(encoding);

/** Begins an upload. */
export const begin = (
  client: ApiClient,
  size: number,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Reply> =>
  client.call('POST', UPLOADS, undefined, {
    ...TUS,
    'upload-length': String(size),
    ...(Object.keys(fields).length === 0 ? {} : { 'upload-metadata': metadataOf(fields) }),
    ...headers,
  });

/** Sends bytes of an upload. */
export const append = (
  client: ApiClient,
  id: string,
  offset: number,
  bytes: Uint8Array,
  headers: Record<string, string> = {},
): Promise<Reply> =>
  client.send('PATCH', `${UPLOADS}/${id}`, {
    headers: {
      ...TUS,
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(offset),
      ...headers,
    },
    body: Uint8Array.from(bytes),
  });

export const read = (client: ApiClient, id: string): Promise<Reply> => client.get(`${UPLOADS}/${id}`);

export const offsetOf = async (client: ApiClient, id: string) => (await read(client, id)).data.offset;

/** Names of the files of uploads on the disk of the first node. */
export const uploadFiles = ({ dataDir }: TestCloud): Promise<string[]> =>
  readdir(join(dataDir, 'blobs', 'uploads')).catch(() => []);

/** Asks where to continue. */
export async function head(client: ApiClient, id: string) {
  const response = await client.raw(`${UPLOADS}/${id}`, { method: 'HEAD', headers: TUS });
  return {
    status: response.status,
    offset: response.headers.get('upload-offset'),
    headers: response.headers,
  };
}

/** Sends the beginning of a longer request, which stays open. */
export async function sendPart(
  url: string,
  { id, offset, bytes, announced }: { id: string; offset: number; bytes: Uint8Array; announced: number },
): Promise<ClientRequest> {
  const request = httpRequest(`${url}${UPLOADS}/${id}`, {
    method: 'PATCH',
    headers: {
      ...TUS,
      authorization: `Bearer ${ADMIN_KEY}`,
      'content-type': 'application/offset+octet-stream',
      'upload-offset': offset,
      'content-length': announced,
    },
  });
  request.on('error', () => {});
  await new Promise((resolve) => request.write(bytes, resolve));
  return request;
}

export async function cut(request: ClientRequest): Promise<void> {
  const closed = new Promise((resolve) => request.once('close', resolve));
  request.destroy();
  await closed;
}
