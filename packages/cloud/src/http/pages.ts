import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '../domain/api-error.ts';
import { errorMessage } from '../domain/error-details.ts';
import { routeNotFoundError } from '../http-server/unknown-routes.ts';
import { PROGRAM_FILES } from '../program/program-files.ts';
import { readStaticFiles, sendStaticFile } from './static-files.ts';
import type { StaticFile } from './static-files.ts';

const NOT_BUILT = 'The pages of this cloud are not built. Run "npm run build:cloud", then restart the cloud.';

/** The pages that the console has; what is below them is its own matter. */
const CONSOLE_ADDRESSES = [
  '/',
  '/sign-in',
  '/invitation',
  '/sign-in-link',
  '/reset-password',
  '/devices',
  '/devices/*',
  '/stores',
  '/alerts',
  '/alerts/*',
  '/analytics',
  '/content',
  '/playlists',
  '/playlists/*',
  '/settings',
  '/settings/*',
  '/schedules',
  '/schedules/*',
];

/** A file of a page, at the addresses where it is served. */
interface Page {
  build: 'console' | 'docs';
  file: string;
  addresses: readonly string[];
  /** What it may load besides its scripts and styles; `mediaOrigin` is where pictures come from. */
  policy: (mediaOrigin: string) => string;
  hasInlineStyles?: boolean;
  headers?: Record<string, string>;
}

const policyOf = ({ policy, hasInlineStyles = false }: Page, mediaOrigin: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'${hasInlineStyles ? " 'unsafe-inline'" : ''}; ` +
  `form-action 'none'; base-uri 'none'; frame-ancestors 'none'; ${policy(mediaOrigin)}`;

const CONSOLE: Page = {
  build: 'console',
  file: 'index.html',
  addresses: CONSOLE_ADDRESSES,
  policy: (mediaOrigin) =>
    `font-src 'self'; connect-src 'self' ${mediaOrigin}; img-src 'self' data: blob: ${mediaOrigin}; ` +
    `media-src 'self' blob: ${mediaOrigin}`,
};

const PAGES: readonly Page[] = [
  CONSOLE,
  {
    // The page that a person opens from the QR code on a screen.
    build: 'console',
    file: 'pair.html',
    addresses: ['/pair'],
    policy: () => "connect-src 'self'; img-src data:",
    headers: { 'permissions-policy': 'camera=(self)' },
  },
  {
    // The viewer has its styles in its script.
    build: 'docs',
    file: 'index.html',
    addresses: ['/docs'],
    hasInlineStyles: true,
    policy: () => "connect-src 'self'; img-src 'self' data: blob:",
  },
  { build: 'docs', file: 'errors.css', addresses: ['/docs/errors.css'], policy: () => '' },
];

export interface PagesDeps {
  log: Logger;
  /** Where pictures and videos come from; known when the cloud listens. */
  mediaOrigin: () => string;
  /** The builds; those of this program by default. */
  folders?: Readonly<Record<Page['build'], string>>;
}

/** The files of a build by path; null when they cannot be read. */
async function readBuild(
  name: Page['build'],
  { log, folders = PROGRAM_FILES }: PagesDeps,
): Promise<Map<string, StaticFile> | null> {
  try {
    return await readStaticFiles(folders[name]);
  } catch (error) {
    log.warn({ build: name, reason: errorMessage(error) }, 'pages.read_failed');
    return null;
  }
}

/**
 * Serves what people see in a browser: the builds of `packages/console` and `packages/cloud/pages/docs`. All of it is read at the
 * start, so that a running cloud never serves parts of a newer build. Without a build everything else works, and its pages
 * say what to run.
 */
export function addPages(app: FastifyInstance, deps: PagesDeps): void {
  const builds = { console: readBuild('console', deps), docs: readBuild('docs', deps) };
  for (const [folder, build] of [
    ['/assets', builds.console],
    ['/docs/assets', builds.docs],
  ] as const) {
    app.get<{ Params: { file: string } }>(`${folder}/:file`, async (request, reply) => {
      const file = (await build)?.get(`assets/${request.params.file}`);
      if (!file) {
        throw new ApiError('ROUTE_NOT_FOUND', 'This file of a page does not exist; load the page again.');
      }
      // The name of the file changes with its content.
      return sendStaticFile(
        file,
        request,
        reply.header('cache-control', 'public, max-age=31536000, immutable'),
      );
    });
  }
  const sendPage = async (
    page: Page,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const file = (await builds[page.build])?.get(page.file);
    if (!file) {
      throw new ApiError('UNAVAILABLE', NOT_BUILT);
    }
    reply.headers({
      'cache-control': 'no-cache',
      'content-security-policy': policyOf(page, deps.mediaOrigin()),
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      ...page.headers,
    });
    return sendStaticFile(file, request, reply);
  };
  for (const page of PAGES) {
    for (const address of page.addresses) {
      app.get(address, (request, reply) => sendPage(page, request, reply));
    }
  }
  // The console says that there is no such page.
  app.setNotFoundHandler(async (request, reply) => {
    if (!(await builds.console)?.has(CONSOLE.file)) {
      throw routeNotFoundError(request);
    }
    return sendPage(CONSOLE, request, reply.code(404));
  });
}
