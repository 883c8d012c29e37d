import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { S3_CREDENTIALS, startS3Server } from './s3-server.ts';
import type { S3Server } from './s3-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** In projects whose media are in a bucket: where it is, and environment variables. Each cloud has its own prefix. */
    s3?: { settings: S3Server['settings']; credentials: Record<string, string> };
  }
}

/** For vitest, as the global set-up of a project: a server of the S3 protocol. */
export async function setup({ provide }: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'placard-s3-'));
  const server = await startS3Server(directory);
  provide('s3', { settings: server.settings, credentials: S3_CREDENTIALS });
  return async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
}
