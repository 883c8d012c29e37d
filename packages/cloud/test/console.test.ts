import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud({ cdnUrl: 'https://media.example.com/files' });
});
afterAll(() => cloud.close());

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await request(`${cloud.cloud.url}${path}`, { headers });
  return { ...response, text: await response.body.text() };
};

test.each([
  '/',
  '/sign-in',
  '/invitation',
  '/devices',
  '/devices/dev_1',
  '/content',
  '/playlists',
  '/playlists/pl_1',
])('%s is the console', async (path) => {
  const { statusCode, headers, text } = await get(path);
  expect(statusCode).toBe(200);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(headers['cache-control']).toBe('no-cache');
  expect(text).toContain('<div id="root">');
});

const NAVIGATION = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const JAVA = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2';

test.each([
  ['a browser', 'a page', { accept: NAVIGATION, 'sec-fetch-mode': 'navigate' }],
  ['a browser without HTTPS', 'a page', { accept: NAVIGATION }],
  ['a script of a page', 'JSON', { accept: NAVIGATION, 'sec-fetch-mode': 'cors' }],
  ['Java', 'JSON', { accept: JAVA }],
  ['a program with a key', 'JSON', { accept: NAVIGATION, authorization: 'Bearer x' }],
  ['curl', 'JSON', { accept: '*/*' }],
])('an address that does not exist is 404: for %s it is %s', async (_, form, sent) => {
  const { statusCode, text } = await get('/nowhere', sent);
  expect(statusCode).toBe(404);
  expect(text).toContain(form === 'JSON' ? '"code":"ROUTE_NOT_FOUND"' : '<div id="root">');
});

test('its page may load nothing from elsewhere but media, run no scripts inside it, and be in no frame', async () => {
  const { headers, text } = await get('/');
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  expect(policy).toContain("img-src 'self' data: blob: https://media.example.com;");
  // Previews draw pictures as screens do: from their bytes.
  expect(policy).toContain("connect-src 'self' https://media.example.com;");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=/);
});

test('its files have hashes in their names, are cached for ever, and are sent compressed or not', async () => {
  const { text } = await get('/');
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(text)?.[1];
  const plain = await get(script!);
  expect(plain.statusCode).toBe(200);
  expect(plain.headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  const compressed = await request(`${cloud.cloud.url}${script}`, { headers: { 'accept-encoding': 'br' } });
  expect(compressed.headers['content-encoding']).toBe('br');
  expect((await compressed.body.bytes()).length).toBeLessThan(plain.text.length / 2);
});

test('a file that an earlier version had is an error that says what to do, and no page', async () => {
  const { statusCode, text } = await get('/assets/index-00000000.js');
  expect(statusCode).toBe(404);
  expect(JSON.parse(text).error.message).toContain('load the page again');
});

test('a client that does not take Brotli gets the same file with gzip', async () => {
  const { text } = await get('/');
  const zipped = await request(`${cloud.cloud.url}/`, { headers: { 'accept-encoding': 'gzip' } });
  expect(zipped.headers['content-encoding']).toBe('gzip');
  expect(zipped.headers['vary']).toBe('accept-encoding');
  expect(gunzipSync(await zipped.body.bytes()).toString()).toBe(text);
});

test.each(['/', '/pair', '/docs'])('%s is not sent again to a browser that has it', async (path) => {
  const { headers } = await get(path);
  const again = await get(path, { 'if-none-match': String(headers['etag']) });
  expect([again.statusCode, again.text]).toEqual([304, '']);
  expect(again.headers['content-security-policy']).toBe(headers['content-security-policy']);
  expect((await get(path, { 'if-none-match': 'W/"older"' })).statusCode).toBe(200);
});

test('the pairing page may use the camera, and loads nothing from elsewhere', async () => {
  const { headers, text } = await get('/pair');
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  expect(policy).toContain("connect-src 'self'; img-src data:");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(headers['permissions-policy']).toBe('camera=(self)');
  expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|https?:/);
});
