import { describe, expect, onTestFinished, test } from 'vitest';
import { startFakeCloud } from '../../../test/support/fake-cloud.ts';
import {
  helloMessage,
  openCloudLink,
  pairDevice,
  PAIRING_REQUEST,
} from '../../../test/support/open-cloud-link.ts';
import { startProxy } from '../../../test/support/proxy.ts';
import { createDispatcher } from './dispatcher.ts';
import { proxyFor, proxySettings } from './proxy.ts';
import type { ProxySettings } from './proxy.ts';

const signal = new AbortController().signal;

describe('which proxy', () => {
  const settings: ProxySettings = {
    httpProxy: 'http://plain:3128',
    httpsProxy: 'secure:3129',
    noProxy: 'localhost,.corp.test, other.test:8080',
  };
  test.each([
    ['http://cloud.test', 'http://plain:3128/'],
    ['ws://cloud.test', 'http://plain:3128/'],
    ['https://cloud.test', 'http://secure:3129/'],
    ['wss://cloud.test', 'http://secure:3129/'],
    ['http://localhost:8787', null],
    ['https://signs.corp.test', null],
    ['https://corp.test', null],
    ['https://notcorp.test', 'http://secure:3129/'],
    ['http://other.test:8080', null],
    ['http://other.test', 'http://plain:3128/'],
  ])('%s goes through %s', (target, expected) => {
    expect(proxyFor(new URL(target), settings)?.href ?? null).toBe(expected);
  });

  test('uses no proxy without a setting, or when NO_PROXY is a star', () => {
    expect(proxyFor(new URL('https://cloud.test'), {})).toBe(null);
    expect(proxyFor(new URL('https://cloud.test'), { ...settings, noProxy: '*' })).toBe(null);
  });

  test('prefers the lower-case environment variables', () => {
    expect(proxySettings({ https_proxy: 'a', HTTPS_PROXY: 'b', NO_PROXY: 'c' })).toEqual({
      httpsProxy: 'a',
      noProxy: 'c',
    });
  });
});

const linkThrough = (server: string, proxies: ProxySettings) =>
  openCloudLink(server, { proxies, dispatcher: createDispatcher(proxies) });

test('sends requests and the socket through the proxy, with its password', async () => {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  const proxy = await startProxy({ credentials: 'box:p@ss' });
  // Only the proxy can resolve this name.
  const server = cloud.url.replace('127.0.0.1', 'cloud.invalid');
  const link = linkThrough(server, { httpProxy: `http://box:p%40ss@127.0.0.1:${proxy.port}` });
  const device = await pairDevice(cloud, link);
  const end = await device.openSocket({ hello: helloMessage, onMessage: () => cloud.dropSockets() }, signal);
  expect(end).toMatchObject({ kind: 'closed', welcomed: true });
  expect(new Set(proxy.tunnels)).toEqual(new Set([new URL(server).host]));
});

test('a proxy that refuses is a fault', async () => {
  const proxy = await startProxy({ credentials: 'box:p@ss' });
  const link = linkThrough('http://cloud.invalid:80', { httpProxy: `http://127.0.0.1:${proxy.port}` });
  await expect(link.startPairing(PAIRING_REQUEST, signal)).rejects.toMatchObject({
    code: 'cloud.unreachable',
  });
  const socket = link
    .createDeviceLink('token')
    .openSocket({ hello: helloMessage, onMessage: () => {} }, signal);
  await expect(socket).rejects.toMatchObject({ code: 'cloud.unreachable' });
});
