import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { GetObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import { mediaStoreError } from '../../domain/storage-failure.ts';
import { createSlots } from './slots.ts';
import { explainS3Failure, isMissingObject, isNotOffered } from './s3-failure.ts';
import { describeLocation } from './s3-settings.ts';
import type { S3Settings } from './s3-settings.ts';

const CONNECT_MS = 5000;
/** Until the answer begins: a part has to be sent before. */
const ANSWER_MS = 120_000;
/** Nothing is received or sent. */
const IDLE_MS = 60_000;
/** For requests with little data, retries included. */
const SHORT_REQUEST_MS = 15_000;
const MAX_ATTEMPTS = 3;
/** Downloads that are passed through keep a connection each; the cloud limits those of its clients. */
const MAX_CONNECTIONS = 1000;
/** Larger files are uploaded in parts of this size: an upload takes about 50 MB of memory at its peak. */
const PART_BYTES = 8 * 1_048_576;
const MAX_UPLOADS = 4;
const PARTS_AT_ONCE = 2;
/** A download that has begun goes on after it; one that is resumed gets a new URL. */
const SIGNED_FOR_SECONDS = 3600;
/** Key of the object that the start writes and deletes. */
const CHECK_KEY = 'start-check';

export interface StoredObject {
  /** Without the prefix of the cloud. */
  key: string;
  /** Bytes. */
  size: number;
  /** By the clock of the store. */
  ageMs: number;
  modified: Date;
}

/** The objects of this cloud in a bucket. A failure is an error that `storageFailureOf` knows, with what to do. */
export interface Bucket {
  /** For messages. */
  location: string;
  /** Objects in the order of their keys. */
  list(keyPrefix: string): AsyncIterable<StoredObject>;
  /** Null if there is no such object. */
  get(key: string, range?: { start: number; end: number }): Promise<Readable | null>;
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Stores a file, which is visible only when it is complete. */
  putFile(key: string, path: string, size: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** Aborts uploads in parts that processes have left which ended; does nothing if the store cannot list them. */
  abortUploadsOlderThan(ms: number): Promise<void>;
  /** A URL from which anybody can read an object for an hour. */
  sign(key: string, contentType: string): Promise<string>;
  /** Reads one entry, writes an object and deletes it. */
  requireUsable(): Promise<void>;
  /** Reads one entry. */
  ping(): Promise<void>;
  /** Why the latest request failed, and what to do; null if it succeeded. */
  failure(): string | null;
  close(): void;
}

/** Loads the client of S3, which clouds without it do not need. */
export async function openBucket(settings: S3Settings): Promise<Bucket> {
  const [sdk, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  const { bucket: Bucket, prefix, endpoint, pathStyle } = settings;
  const region =
    settings.region ?? process.env['AWS_REGION'] ?? (endpoint === undefined ? null : 'us-east-1');
  const client = new sdk.S3Client({
    ...(region === null ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    forcePathStyle: pathStyle,
    maxAttempts: MAX_ATTEMPTS,
    // Other stores than Amazon's refuse checksums that they do not know. Payloads are signed with their hash anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: ANSWER_MS,
      throwOnRequestTimeout: true,
      socketTimeout: IDLE_MS,
      httpAgent: { maxSockets: MAX_CONNECTIONS },
      httpsAgent: { maxSockets: MAX_CONNECTIONS },
    },
  });
  const storeClock = watchStoreClock(client);
  const keyOf = (key: string) => (prefix === '' ? key : `${prefix}/${key}`);
  const inUploadSlot = createSlots(MAX_UPLOADS);
  let lastFailure: string | null = null;

  const fail = (error: unknown): never => {
    if (isMissingObject(error) || isNotOffered(error)) {
      throw error;
    }
    lastFailure = explainS3Failure(error, settings);
    throw mediaStoreError(lastFailure, error);
  };
  const call = async <T>(run: (abortSignal: AbortSignal) => Promise<T>): Promise<T> => {
    try {
      const result = await run(AbortSignal.timeout(SHORT_REQUEST_MS));
      lastFailure = null;
      return result;
    } catch (error) {
      return fail(error);
    }
  };

  const listPage = (keyPrefix: string, token: string | undefined, MaxKeys: number) =>
    call((abortSignal) =>
      client.send(
        new sdk.ListObjectsV2Command({
          Bucket,
          Prefix: keyOf(keyPrefix),
          MaxKeys,
          ...(token === undefined ? {} : { ContinuationToken: token }),
        }),
        { abortSignal },
      ),
    );
  const ping = async () => void (await listPage('', undefined, 1));
  const put = (key: string, bytes: Uint8Array) =>
    call(async (abortSignal) => {
      await client.send(new sdk.PutObjectCommand({ Bucket, Key: keyOf(key), Body: bytes }), { abortSignal });
    });
  const deleteObject = (key: string) =>
    call(async (abortSignal) => {
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key: keyOf(key) }), { abortSignal });
    });

  return {
    location: describeLocation(settings),
    async *list(keyPrefix) {
      let token: string | undefined;
      do {
        const page = await listPage(keyPrefix, token, 1000);
        const nowMs = storeClock.nowMs();
        for (const { Key, Size = 0, LastModified } of page.Contents ?? []) {
          if (Key !== undefined && LastModified !== undefined) {
            yield {
              key: Key.slice(keyOf('').length),
              size: Size,
              ageMs: nowMs - LastModified.getTime(),
              modified: LastModified,
            };
          }
        }
        token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
      } while (token !== undefined);
    },
    async get(key, range) {
      const input: GetObjectCommandInput = {
        Bucket,
        Key: keyOf(key),
        ...(range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` }),
      };
      try {
        // Without a limit in total: a download may take hours. It ends when nothing arrives for a while.
        const { Body } = await call(() => client.send(new sdk.GetObjectCommand(input)));
        if (!(Body instanceof Readable)) {
          throw new TypeError('the client of S3 returned no stream');
        }
        return Body;
      } catch (error) {
        if (isMissingObject(error)) {
          return null;
        }
        throw error;
      }
    },
    put,
    putFile: (key, path, size) =>
      inUploadSlot(async () => {
        if (size <= PART_BYTES) {
          const bytes = await readFile(path);
          await call(() => client.send(new sdk.PutObjectCommand({ Bucket, Key: keyOf(key), Body: bytes })));
          return;
        }
        const file = createReadStream(path, { highWaterMark: 1_048_576 });
        try {
          await call(() =>
            // Aborts the upload itself when a part fails.
            new Upload({
              client,
              params: { Bucket, Key: keyOf(key), Body: file },
              partSize: PART_BYTES,
              queueSize: PARTS_AT_ONCE,
            }).done(),
          );
        } finally {
          file.destroy();
        }
      }),
    delete: deleteObject,
    async abortUploadsOlderThan(ms) {
      const oldest = storeClock.nowMs() - ms;
      try {
        const { Uploads = [] } = await call((abortSignal) =>
          client.send(new sdk.ListMultipartUploadsCommand({ Bucket, Prefix: keyOf('') }), { abortSignal }),
        );
        for (const { Key, UploadId, Initiated } of Uploads) {
          if (Initiated !== undefined && Initiated.getTime() < oldest) {
            await call((abortSignal) =>
              client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId }), { abortSignal }),
            );
          }
        }
      } catch (error) {
        if (!isNotOffered(error)) {
          throw error;
        }
      }
    },
    async sign(key, contentType) {
      const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
      const command = new sdk.GetObjectCommand({
        Bucket,
        Key: keyOf(key),
        ResponseContentType: contentType,
        ResponseCacheControl: 'public, max-age=31536000, immutable',
      });
      // Asks nobody but the source of the credentials, so a success says nothing about the bucket.
      return getSignedUrl(client, command, { expiresIn: SIGNED_FOR_SECONDS }).catch(fail);
    },
    async requireUsable() {
      await ping();
      await put(CHECK_KEY, Buffer.from('Written and deleted by each start of a Placard cloud.\n'));
      await deleteObject(CHECK_KEY);
    },
    ping,
    failure: () => lastFailure,
    close: () => client.destroy(),
  };
}

/** Ages are computed with the clock of the store, which the answers contain: clocks of nodes may be wrong. */
function watchStoreClock(client: S3Client): { nowMs(): number } {
  let offsetMs = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const dateMs = Date.parse(dateHeaderOf(result.response));
      if (!Number.isNaN(dateMs)) {
        offsetMs = dateMs - Date.now();
      }
      return result;
    },
    { step: 'deserialize', name: 'watchStoreClock', priority: 'low' },
  );
  return { nowMs: () => Date.now() + offsetMs };
}

function dateHeaderOf(response: unknown): string {
  if (typeof response !== 'object' || response === null || !('headers' in response)) {
    return '';
  }
  const { headers } = response;
  return typeof headers === 'object' && headers !== null && 'date' in headers ? String(headers.date) : '';
}
