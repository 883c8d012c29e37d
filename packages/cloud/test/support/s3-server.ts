import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import S3rver from 's3rver';
import { freePort } from '../../../../test/support/free-port.ts';

export const BUCKET = 'media';
/** The only credentials that the server knows, as environment variables. */
export const S3_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

/** Answers a request in place of the server; false: the server answers. */
export type Intercept = (request: IncomingMessage, response: ServerResponse, url: URL) => boolean;

export interface S3Server {
  readonly url: string;
  /** Settings of a store in its bucket. */
  readonly settings: { bucket: string; prefix: string; endpoint: string; pathStyle: boolean };
  /** Every request: method, path and query. */
  readonly requests: string[];
  intercept(answer: Intercept | null): void;
  /** Keys of all objects. */
  keys(): Promise<string[]>;
  /** Ids of uploads in parts that were neither completed nor aborted. */
  openUploads(): Promise<string[]>;
  /** Makes the objects whose keys begin so, and the open uploads, this much older. */
  makeOlder(keyPrefix: string, ms: number): Promise<void>;
  /** Cuts all connections; the port answers nothing until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** A server of the S3 protocol on loopback, which keeps its objects in the folder. */
export async function startS3Server(directory: string, prefix = 'cloud-1'): Promise<S3Server> {
  const s3rver = new S3rver({
    directory,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  await s3rver.configureBuckets();
  const answerByS3rver = s3rver.getMiddleware();
  const bucketDir = join(directory, BUCKET);
  const uploadsDir = join(bucketDir, '._S3rver_uploads');
  const requests: string[] = [];
  let intercepted: Intercept | null = null;
  let server: Server | null = null;
  const port = await freePort();

  const openUploads = async () => (existsSync(uploadsDir) ? readdir(uploadsDir) : []);
  /** Two operations that the package lacks. */
  const listUploads = async (response: ServerResponse) => {
    const uploads = (await openUploads()).map(async (id) => {
      const key = await readFile(join(uploadsDir, id, 'key'), 'utf8');
      const initiated = (await stat(join(uploadsDir, id, 'key'))).mtime.toISOString();
      return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated}</Initiated></Upload>`;
    });
    const xml = `<ListMultipartUploadsResult>${(await Promise.all(uploads)).join('')}</ListMultipartUploadsResult>`;
    response.writeHead(200, { 'content-type': 'application/xml' }).end(xml);
  };
  const abortUpload = async (id: string, response: ServerResponse) => {
    await rm(join(uploadsDir, id), { recursive: true, force: true });
    response.writeHead(204).end();
  };

  const start = async () => {
    const listening = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://s3');
      requests.push(`${request.method} ${request.url}`);
      const uploadId = url.searchParams.get('uploadId');
      if (intercepted?.(request, response, url) === true) {
        return;
      }
      if (request.method === 'GET' && url.searchParams.has('uploads')) {
        void listUploads(response);
      } else if (request.method === 'DELETE' && uploadId !== null) {
        void abortUpload(uploadId, response);
      } else {
        // The package cannot continue a list: it encrypts the token with a function that Node no longer has.
        request.url = request.url?.replace('max-keys=1&', 'max-keys=1000&');
        answerByS3rver(request, response);
      }
    });
    listening.listen(port, '127.0.0.1');
    await once(listening, 'listening');
    server = listening;
  };
  await start();
  const objectFiles = async () =>
    (await readdir(bucketDir, { recursive: true }))
      .filter((name) => name.endsWith('._S3rver_object'))
      .map((name) => ({
        key: name.slice(0, -'._S3rver_object'.length).replaceAll('\\', '/'),
        file: join(bucketDir, name),
      }));

  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    settings: { bucket: BUCKET, prefix, endpoint: url, pathStyle: true },
    requests,
    intercept(answer) {
      intercepted = answer;
    },
    keys: async () => (await objectFiles()).map(({ key }) => key).toSorted((a, b) => a.localeCompare(b)),
    openUploads,
    async makeOlder(keyPrefix, ms) {
      const objects = (await objectFiles()).filter(({ key }) => key.startsWith(keyPrefix));
      const uploads = (await openUploads()).map((id) => join(uploadsDir, id, 'key'));
      for (const file of [...objects.map((object) => object.file), ...uploads]) {
        const earlier = new Date((await stat(file)).mtimeMs - ms);
        await utimes(file, earlier, earlier);
      }
    },
    async stop() {
      const stopping = server;
      server = null;
      if (stopping) {
        stopping.close();
        stopping.closeAllConnections();
        await once(stopping, 'close');
      }
    },
    start,
  };
}

/** An error as S3 sends it. */
export function sendS3Error(response: ServerResponse, status: number, code: string, more = ''): true {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message>${more}</Error>`);
  return true;
}
