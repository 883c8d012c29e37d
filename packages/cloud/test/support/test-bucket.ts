import { onTestFinished, vi } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { S3_CREDENTIALS, startS3Server } from './s3-server.ts';
import type { S3Server } from './s3-server.ts';

/** A bucket for the test that runs, with its credentials in the environment. */
export async function startTestBucket(): Promise<S3Server> {
  for (const [name, value] of Object.entries({ ...S3_CREDENTIALS, AWS_EC2_METADATA_DISABLED: 'true' })) {
    vi.stubEnv(name, value);
  }
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = await startS3Server(tempDir());
  onTestFinished(() => server.stop());
  return server;
}
