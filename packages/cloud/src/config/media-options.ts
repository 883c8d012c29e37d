import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { parseS3Location } from '../blob/s3/s3-settings.ts';
import type { S3Settings } from '../blob/s3/s3-settings.ts';

export interface MediaStartOptions {
  blobs?: Pick<S3Settings, 'bucket' | 'prefix'>;
  s3Endpoint?: string;
  s3Region?: string;
  s3PathStyle?: boolean;
}

function parseBlobs(text: string): Pick<S3Settings, 'bucket' | 'prefix'> {
  const location = parseS3Location(text);
  if (!location) {
    throw new InvalidArgumentError('Give a bucket, such as s3://my-bucket or s3://my-bucket/placard.');
  }
  return location;
}

function parseEndpoint(text: string): string {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
    throw new InvalidArgumentError('Give a URL such as https://s3.example.com, without user and password.');
  }
  return url.href.replace(/\/$/, '');
}

/** Where media files are stored, with flags, environment variables and help texts in one place. */
export const addMediaOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--blobs <location>', 's3://bucket/prefix of the media files, instead of the data folder')
        .env('PLACARD_BLOBS')
        .argParser(parseBlobs),
    )
    .addOption(
      new Option('--s3-endpoint <url>', "URL of an S3 server that is not Amazon's")
        .env('PLACARD_S3_ENDPOINT')
        .argParser(parseEndpoint),
    )
    .addOption(new Option('--s3-region <name>', 'region of the bucket').env('PLACARD_S3_REGION'))
    .addOption(
      new Option('--s3-path-style', 'address the bucket as a path of the endpoint, not as its subdomain').env(
        'PLACARD_S3_PATH_STYLE',
      ),
    );

/** Undefined if media files are in the data folder. */
export function toS3Settings({
  blobs,
  s3Endpoint,
  s3Region,
  s3PathStyle = false,
}: MediaStartOptions): S3Settings | undefined {
  return (
    blobs && {
      ...blobs,
      pathStyle: s3PathStyle,
      ...(s3Endpoint === undefined ? {} : { endpoint: s3Endpoint }),
      ...(s3Region === undefined ? {} : { region: s3Region }),
    }
  );
}
