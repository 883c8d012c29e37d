import { runInNewContext } from 'node:vm';
import { operations } from '@placard/protocol/api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { eventually } from '../../../test/support/eventually.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

interface Element {
  name: string;
  id?: string;
  textContent?: string;
  children: (Element | string)[];
  append(...more: (Element | string)[]): void;
}

/** A minimal DOM element with what the page uses. */
function createElement(name: string): Element {
  const children: Element['children'] = [];
  return { name, children, append: (...more) => void children.push(...more) };
}

/** An element and all its descendants. */
const within = (element: Element): Element[] => [
  element,
  ...element.children.flatMap((child) => (typeof child === 'string' ? [] : within(child))),
];

const textOf = ({ children, textContent }: Element): string[] => [
  textContent ?? '',
  ...children.filter((child) => typeof child === 'string'),
];

test('the docs page shows every operation, and text between backticks as code', async () => {
  const open = cloud.clientFor(null);
  const script = await (await open.raw('/docs/script.js')).text();
  const byId = new Map(['about', 'index', 'operations'].map((id) => [id, createElement('div')]));
  runInNewContext(script, {
    document: { createElement, getElementById: (id: string) => byId.get(id) },
    fetch: (path: string) => open.raw(path),
  });
  const all = () => [...byId.values()].flatMap(within);
  await eventually(() => {
    const shown = all().flatMap(({ name, id }) => (name === 'section' ? [id] : []));
    expect(new Set(shown)).toEqual(new Set(Object.keys(operations)));
  });
  const texts = all().flatMap(textOf);
  for (const beyond of ['/v1/player/socket', '/cdn/{sha256}.{ending}', 'device.offline']) {
    expect(texts).toContain(beyond);
  }
  expect(all().flatMap((each) => (each.name === 'code' ? textOf(each) : []))).toContain('Idempotency-Key');
  const prose = all().filter(({ name }) => name !== 'pre');
  expect(prose.flatMap(textOf).filter((text) => text.includes('`'))).toEqual([]);
});
