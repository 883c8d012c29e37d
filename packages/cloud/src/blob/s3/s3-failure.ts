import { errorCode, errorMessage } from '../../domain/error-details.ts';
import { describeLocation } from './s3-settings.ts';
import type { S3Settings } from './s3-settings.ts';

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);
const NO_CREDENTIALS = new Set(['CredentialsProviderError', 'TokenProviderError']);
const REFUSED_CREDENTIALS = new Set([
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'TokenRefreshRequired',
]);
const WRONG_REGION = new Set([
  'PermanentRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
  'TemporaryRedirect',
]);

/** What went wrong with a request to the bucket, and what to do, for the operator. */
export function explainS3Failure(error: unknown, settings: S3Settings): string {
  const where = describeLocation(settings);
  const name = error instanceof Error ? error.name : '';
  const code = errorCode(error) ?? '';
  if (NO_CREDENTIALS.has(name)) {
    return (
      `No credentials were found for the media in ${where}. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ` +
      'or provide a credentials file or a role.'
    );
  }
  if (REFUSED_CREDENTIALS.has(name)) {
    return `The credentials for the media in ${where} are refused (${name}). Check the access key, its secret and its age.`;
  }
  if (name === 'NoSuchBucket') {
    return `The bucket ${settings.bucket} does not exist: the media are to be in ${where}. Create it, or correct --blobs.`;
  }
  if (WRONG_REGION.has(name)) {
    const region = regionOf(error);
    return (
      `The bucket ${settings.bucket} is in another region${region === null ? '' : `: ${region}`} (${name}). ` +
      `Set --s3-region${region === null ? '' : ` ${region}`}.`
    );
  }
  if (name === 'RequestTimeTooSkewed') {
    return `The clock of this machine differs too much from that of ${where}. Set the clock.`;
  }
  if (name === 'AccessDenied' || name === 'AllAccessDisabled' || name === 'Forbidden' || name === '403') {
    return (
      `Access to the media in ${where} is denied (${name}). The credentials need ListBucket on the bucket, and ` +
      'GetObject, PutObject and DeleteObject on its objects; docs/run-a-cloud.md has the policy.'
    );
  }
  if (errorMessage(error) === 'Region is missing') {
    return `The region of the bucket ${settings.bucket} is not known. Set --s3-region, or AWS_REGION.`;
  }
  if (name === 'AbortError' || name === 'TimeoutError' || UNREACHABLE.has(code)) {
    return (
      `The media store of ${where} cannot be reached (${code === '' ? 'no answer in time' : code}). ` +
      'Check the network, the server and --s3-endpoint.'
    );
  }
  return `The media in ${where} cannot be used: ${name}: ${errorMessage(error).split('\n')[0]}.`;
}

/** The region that the bucket is in, if the answer names it. */
function regionOf(error: unknown): string | null {
  const body: unknown = error instanceof Error && 'Region' in error ? error.Region : null;
  return typeof body === 'string' ? body : null;
}

export const isMissingObject = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound');

/** The store itself has failed, so the settings may well be right. */
export const isStoreFault = (error: unknown): boolean =>
  error instanceof Error &&
  '$metadata' in error &&
  Number(Object(error.$metadata).httpStatusCode) >= 500 &&
  !isNotOffered(error);

/** The server does not know the operation: small servers lack some. */
export const isNotOffered = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NotImplemented' || error.name === 'MethodNotAllowed');
