import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../../scripts/repository.ts';

const BUILD = join(REPOSITORY, 'packages/cloud/dist/console');
const read = (file: string) => brotliDecompressSync(readFileSync(join(BUILD, `${file}.br`)));

/** Addresses of scripts in a page. */
const scriptsIn = (page: string): string[] =>
  [
    ...read(page)
      .toString()
      .matchAll(/\/(assets\/[^"]+\.js)"/g),
  ].map(([, file = '']) => file);

/** The scripts and all that they import, but not what is imported later. */
function withImports(scripts: readonly string[]): string[] {
  const found = new Set(scripts);
  for (const file of found) {
    const imports = read(file)
      .toString()
      .matchAll(/(?:\bfrom|\bimport)\s*["`']\.\/([^"`']+\.js)["`']/g);
    for (const [, imported = ''] of imports) {
      found.add(`assets/${imported}`);
    }
  }
  return [...found];
}

const gzipKb = (scripts: readonly string[]) =>
  scripts.reduce((sum, file) => sum + gzipSync(read(file)).length, 0) / 1000;

test('the console loads at most 180 kB of JavaScript with gzip until it shows the list of devices', () => {
  const scripts = withImports(scriptsIn('index.html'));
  expect(scripts.length).toBeGreaterThan(2);
  expect(gzipKb(scripts)).toBeLessThanOrEqual(180);
});

test('the pairing page is at most 60 kB of JavaScript with gzip', () => {
  const scripts = withImports(scriptsIn('pair.html'));
  expect(scripts.length).toBeGreaterThan(0);
  expect(gzipKb(scripts)).toBeLessThanOrEqual(60);
});

test('the console and the pairing page share no script, because each starts its page', () => {
  const pairing = withImports(scriptsIn('pair.html'));
  const others = readdirSync(join(BUILD, 'assets'))
    .filter((name) => name.endsWith('.js.br'))
    .map((name) => `assets/${name.slice(0, -3)}`)
    .filter((file) => !pairing.includes(file));
  const names = pairing.map((file) => file.replace('assets/', ''));
  expect(others.length).toBeGreaterThan(20);
  expect(others.filter((file) => names.some((name) => read(file).includes(name)))).toEqual([]);
});
