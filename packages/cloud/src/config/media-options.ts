import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { parseS3Location } from '../blob/s3/s3-settings.ts';
import type { MediaDelivery, S3Settings } from '../blob/s3/s3-settings.ts';
import { StartupError } from '../domain/startup-error.ts';

export interface MediaStartOptions {
  blobs?: Pick<S3Settings, 'bucket' | 'prefix'>;
  s3Endpoint?: string;
  s3Region?: string;
  s3PathStyle?: boolean;
  mediaDelivery: MediaDelivery;
  cdnUrl?: string;
}

function parseBlobs(text: string): Pick<S3Settings, 'bucket' | 'prefix'> {
  const location = parseS3Location(text);
  if (!location) {
    throw new InvalidArgumentError('Give a bucket, such as s3://my-bucket or s3://my-bucket/placard.');
  }
  return location;
}

const parseUrl = (example: string) => (text: string) => {
  const url = URL.parse(text);
  const hasMore = url && (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '');
  if (!url || !['http:', 'https:'].includes(url.protocol) || hasMore === true) {
    throw new InvalidArgumentError(`Give a URL such as ${example}, without user and password.`);
  }
  return url.href.replace(/\/$/, '');
};

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
        .argParser(parseUrl('https://s3.example.com')),
    )
    .addOption(new Option('--s3-region <name>', 'region of the bucket').env('PLACARD_S3_REGION'))
    .addOption(
      new Option('--s3-path-style', 'address the bucket as a path of the endpoint, not as its subdomain').env(
        'PLACARD_S3_PATH_STYLE',
      ),
    )
    .addOption(
      new Option('--media-delivery <how>', 'pass files in S3 through, or redirect clients to signed URLs')
        .env('PLACARD_MEDIA_DELIVERY')
        .choices(['proxy', 'redirect'])
        .default('proxy'),
    )
    .addOption(
      new Option(
        '--cdn-url <url>',
        'base URL of a content delivery network that fetches files from <public-url>/cdn',
      )
        .env('PLACARD_CDN_URL')
        .argParser(parseUrl('https://cdn.example.com/media')),
    );

/** Throws a `StartupError` if the options contradict each other. */
export function requireConsistentMedia({ blobs, mediaDelivery, cdnUrl }: MediaStartOptions): void {
  if (mediaDelivery === 'redirect' && !blobs) {
    throw new StartupError('--media-delivery redirect needs a bucket: add --blobs, or choose proxy.');
  }
  if (mediaDelivery === 'redirect' && cdnUrl !== undefined) {
    throw new StartupError(
      '--cdn-url and --media-delivery redirect exclude each other: the network would get redirects instead of files. Choose one.',
    );
  }
}

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

/** The flags from which `toS3Settings` makes these settings, for messages. */
export const describeFlags = ({ bucket, prefix, endpoint, region, pathStyle }: S3Settings): string[] => [
  `--blobs s3://${bucket}/${prefix}`,
  ...(endpoint === undefined ? [] : [`--s3-endpoint ${endpoint}`]),
  ...(region === undefined ? [] : [`--s3-region ${region}`]),
  ...(pathStyle ? ['--s3-path-style'] : []),
];
