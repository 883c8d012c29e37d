import { readFileSync } from 'node:fs';
import { PAIRING_ALPHABET } from '@placard/protocol';
import type { FastifyInstance } from 'fastify';
import { TRANSLATIONS } from './pair/translations.ts';

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Without the script the page cannot choose a language, so the text is shown in all languages. */
const renderInAllLanguages = (word: 'noScript' | 'notLoaded') =>
  Object.entries(TRANSLATIONS)
    .map(([language, words]) => `<p class="alert" lang="${language}">${words[word]}</p>`)
    .join('');

const readPageFile = (name: string): string => readFileSync(new URL(`pair/${name}`, import.meta.url), 'utf8');

/** The page that an operator opens from the QR code on a screen. The API key stays in the browser tab. */
export function addPairPage(app: FastifyInstance): void {
  const serve = (url: string, type: string, text: string) =>
    app.get(url, async (_request, reply) =>
      reply
        .header('content-security-policy', CONTENT_SECURITY_POLICY)
        .type(`${type}; charset=utf-8`)
        .send(text),
    );
  const page = readPageFile('page.html').replaceAll(/<!-- (noScript|notLoaded) -->/g, (_, word) =>
    renderInAllLanguages(word),
  );
  serve('/pair', 'text/html', page);
  serve('/pair/style.css', 'text/css', readPageFile('style.css'));
  serve('/pair/script.js', 'text/javascript', readPageFile('script.js'));
  serve('/pair/cloud.js', 'text/javascript', readPageFile('cloud.js'));
  serve(
    '/pair/words.js',
    'text/javascript',
    `export const ALPHABET = ${JSON.stringify(PAIRING_ALPHABET)};\nexport const TRANSLATIONS = ${JSON.stringify(TRANSLATIONS)};\n`,
  );
}
