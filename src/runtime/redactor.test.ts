import { expect, test } from 'vitest';
import { createRedactor } from './redactor.ts';

test.each([
  ['{"url":"http://shop:opensesame@proxy.example:3128/x"}', '{"url":"http://…@proxy.example:3128/x"}'],
  ['{"url":"https://token@host.example"}', '{"url":"https://…@host.example"}'],
  ['connect //shop:open@sesame@proxy.example', 'connect //…@proxy.example'],
  ['{"authorization":"Basic c2hvcDpvcGVu"}', '{"authorization":"…"}'],
  [
    String.raw`{"h":"{\"proxy-authorization\":\"Basic c2hvcA==\"}"}`,
    String.raw`{"h":"{\"proxy-authorization\":\"…\"}"}`,
  ],
  ['Authorization: Bearer abc.def-123', 'Authorization: …'],
  ['{"code":"Bearer abc.def-123"}', '{"code":"Bearer …"}'],
  ['{"menu_pin_hash":"scrypt$14$c2FsdA$aGFzaA"}', '{"menu_pin_hash":"[hash of a PIN]"}'],
  ['loading http://127.0.0.1:4711/enter/Ab_c-1', 'loading http://127.0.0.1:4711/enter/…'],
])('in %s what is always secret is hidden', (line, redacted) => {
  expect(createRedactor().redact(line)).toBe(redacted);
});

test.each([
  '{"level":30,"time":1764213123456,"pid":4711,"name":"runtime","play":"play_01J","msg":"play.started"}',
  '{"server":"https://signs.example:8443","data":"/var/lib/placard","msg":"runtime.started"}',
  '{"help":"The cloud rejected the authorization","mail":"ops@placard.example"}',
  '{"url":"https://cdn.example/@scope/file.png","note":"http://a.example and b@c.example"}',
])('%s stays as it is', (line) => {
  const redactor = createRedactor();
  redactor.hide('device token', 'tok_0123456789');
  redactor.hideLogin('the proxy', 'http://placard:runtime-1@proxy.example');
  expect(redactor.redact(line)).toBe(line);
});

test('known secrets are hidden in each spelling, and named', () => {
  const redactor = createRedactor();
  redactor.hide('device token', 'a"b/c d%');
  expect(
    redactor.redact(String.raw`a"b/c d% ${JSON.stringify('a"b/c d%')} ${encodeURIComponent('a"b/c d%')}`),
  ).toBe('[device token] "[device token]" [device token]');
  redactor.hide('device token', 'the next one');
  expect(redactor.redact('the next one, and no longer a"b/c d%')).toBe(
    '[device token], and no longer a"b/c d%',
  );
});

test('a short secret is not searched for: it may be part of any word', () => {
  const redactor = createRedactor();
  redactor.hide('device token', 'play');
  expect(redactor.redact('play.started')).toBe('play.started');
});

test('the password of an address is hidden alone, and with its user in base64', () => {
  const redactor = createRedactor();
  redactor.hideLogin('the proxy', 'http://shop:open%40sesame@proxy.example');
  redactor.hideLogin('the other proxy', 'shop:openbarley@proxy.example:3128');
  redactor.hideLogin('the update feed', null);
  redactor.hideLogin('the update feed', 'no address');
  const login = Buffer.from('shop:open@sesame').toString('base64');
  expect(redactor.redact(`open@sesame open%40sesame ${login} openbarley`)).toBe(
    '[password of the proxy] [password of the proxy] [login of the proxy] [password of the other proxy]',
  );
});

test('a long line takes little time, also one made to be slow', () => {
  const redactor = createRedactor();
  const slow = [
    '//'.repeat(50_000),
    `//${'a'.repeat(100_000)}`,
    'authorization:'.repeat(10_000),
    'bearer '.repeat(20_000),
  ];
  const beganMs = performance.now();
  for (const line of slow) {
    redactor.redact(line);
  }
  expect(performance.now() - beganMs).toBeLessThan(5_000);
});
