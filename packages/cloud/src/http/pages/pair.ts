import { readFileSync } from 'node:fs';
import { PAIRING_ALPHABET } from '@placard/protocol';
import type { FastifyInstance } from 'fastify';
import { WORDS } from './pair/words.ts';

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Without the script the page speaks no language of anybody's own, so this is said in all of them. */
const inAllLanguages = (word: 'noScript' | 'notLoaded') =>
  Object.entries(WORDS)
    .map(([language, words]) => `<p class="alert" lang="${language}">${words[word]}</p>`)
    .join('');

const file = (name: string): string => readFileSync(new URL(`pair/${name}`, import.meta.url), 'utf8');

/** The page that an operator opens from the QR code on a screen. The access key stays in the browser tab. */
export function addPairPage(app: FastifyInstance): void {
  const serve = (url: string, type: string, text: string) =>
    app.get(url, async (_request, reply) =>
      reply.header('content-security-policy', POLICY).type(`${type}; charset=utf-8`).send(text),
    );
  const page = file('page.html').replaceAll(/<!-- (noScript|notLoaded) -->/g, (_, word) =>
    inAllLanguages(word),
  );
  serve('/pair', 'text/html', page);
  serve('/pair/style.css', 'text/css', file('style.css'));
  serve('/pair/script.js', 'text/javascript', file('script.js'));
  serve('/pair/cloud.js', 'text/javascript', file('cloud.js'));
  serve(
    '/pair/words.js',
    'text/javascript',
    `export const LETTERS = ${JSON.stringify(PAIRING_ALPHABET)};\nexport const WORDS = ${JSON.stringify(WORDS)};\n`,
  );
}
