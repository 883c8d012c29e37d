import { ERRORS } from '@placard/protocol/api';
import type { ErrorCode } from '@placard/protocol/api';
import type { FastifyInstance } from 'fastify';
import { ERRORS_PAGE } from '../http-server/errors.ts';
import { ERROR_ADVICE } from './error-advice.ts';

/** Serves the page that every error names in `doc_url`: what each code means and what to do, without a script. */
export function addErrorsPage(app: FastifyInstance): void {
  const page = Buffer.from(renderErrorsPage());
  app.get(ERRORS_PAGE, async (_request, reply) =>
    reply
      .headers({
        'content-security-policy': "default-src 'none'; style-src 'self'",
        'cache-control': 'no-cache',
      })
      .type('text/html; charset=utf-8')
      .send(page),
  );
}

function renderErrorsPage(): string {
  const codes = Object.keys(ERROR_ADVICE).filter(isErrorCode);
  const links = codes.map((code) => `<a href="#${code}">${code}</a>`).join('\n');
  const sections = codes.map(renderError).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>Errors of the Placard API</title>
<link rel="stylesheet" href="/docs/errors.css" />
</head>
<body>
<nav><a href="/docs">All operations</a><h2>Errors</h2>
${links}</nav>
<main>
<h1>Errors of the Placard API</h1>
${sections}
</main>
</body>
</html>
`;
}

const isErrorCode = (text: string): text is ErrorCode => text in ERRORS;

const renderError = (code: ErrorCode): string => `<section id="${code}">
<h3><b>${ERRORS[code].status}</b>${code}</h3>
<p>${toHtml(ERRORS[code].summary)}</p>
<p>${toHtml(ERROR_ADVICE[code])}</p>
</section>`;

/** Texts between backticks become code elements. */
const toHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>');
