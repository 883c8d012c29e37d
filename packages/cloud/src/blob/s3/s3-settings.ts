/** Where the media of a cloud are when not on its disk. Credentials come from the environment, a file or a role. */
export interface S3Settings {
  bucket: string;
  /** First part of all keys, without slashes at its ends; may be empty. */
  prefix: string;
  /** URL of a server that is not Amazon's. */
  endpoint?: string;
  region?: string;
  /** `https://host/bucket/key` instead of `https://bucket.host/key`. */
  pathStyle: boolean;
}

/** Parses `s3://bucket/prefix`; null if it is something else. */
export function parseS3Location(text: string): Pick<S3Settings, 'bucket' | 'prefix'> | null {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(\/[\w./-]*)?$/.exec(text) ?? [];
  return bucket === undefined ? null : { bucket, prefix: path.replace(/^\/+|\/+$/g, '') };
}

/** For messages: never contains credentials. */
export const describeLocation = ({ bucket, prefix, endpoint }: S3Settings): string =>
  `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}${endpoint === undefined ? '' : ` at ${endpoint}`}`;

/** Whether clients get bytes through the cloud, or are sent to the bucket with a signed URL. */
export type MediaDelivery = 'proxy' | 'redirect';
