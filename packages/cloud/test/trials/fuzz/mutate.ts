import type { Chance } from '../support/chance.ts';
import type { Call } from '../support/client.ts';
import { listOf, objectOf } from '../support/json.ts';
import { junk, ODD_TEXTS } from './values.ts';

/** A request on its way to being broken, with what was done to it. */
export interface Draft {
  method: string;
  path: string;
  query: [string, string][];
  contentType: string | null;
  /** JSON value, or text that goes out as it is. */
  json?: unknown;
  raw?: string | Buffer;
  key: string | undefined;
  headers: Record<string, string>;
  done: string[];
}

type Mutation = (draft: Draft, chance: Chance) => boolean;

/** Paths of places in a JSON value; of long lists and deep nests only the first few. */
function places(value: unknown, at: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null || at.length > 12) return [at];
  return [
    at,
    ...Object.entries(value)
      .slice(0, 20)
      .flatMap(([key, one]) => places(one, [...at, key])),
  ];
}

function changed(value: unknown, at: readonly string[], change: (old: unknown) => unknown): unknown {
  const [key, ...rest] = at;
  if (key === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((one, i) => (String(i) === key ? changed(one, rest, change) : one));
  const entries = Object.entries(objectOf(value)).map(([name, one]): [string, unknown] =>
    name === key ? [name, changed(one, rest, change)] : [name, one],
  );
  return Object.fromEntries(entries);
}

const body: Record<string, Mutation> = {
  replace(draft, chance) {
    if (draft.json === undefined) return false;
    draft.json = changed(draft.json, chance.pick(places(draft.json)), () => junk(chance));
    return true;
  },
  remove(draft, chance) {
    const at = chance.pick(places(draft.json));
    const key = at.at(-1);
    if (draft.json === undefined || key === undefined) return false;
    draft.json = changed(draft.json, at.slice(0, -1), (old) =>
      Array.isArray(old)
        ? old.filter((_, i) => String(i) !== key)
        : Object.fromEntries(Object.entries(objectOf(old)).filter(([name]) => name !== key)),
    );
    return true;
  },
  add(draft, chance) {
    if (draft.json === undefined) return false;
    const objects = places(draft.json);
    const name = chance.pick([...ODD_TEXTS, 'colour', 'id', 'created_at', 'x'.repeat(2_000)]);
    draft.json = changed(draft.json, chance.pick(objects), (old) =>
      Array.isArray(old) ? [...old, junk(chance)] : { ...objectOf(old), [name]: junk(chance) },
    );
    return true;
  },
  many(draft, chance) {
    if (draft.json === undefined || JSON.stringify(draft.json).length > 2_000) return false;
    const lists = places(draft.json).filter((at) => Array.isArray(valueAt(draft.json, at)));
    if (lists.length === 0) return false;
    draft.json = changed(draft.json, chance.pick(lists), (old) =>
      Array.from({ length: chance.pick([101, 501, 2_001]) }, () => listOf(old)[0] ?? junk(chance)),
    );
    return true;
  },
  text(draft, chance) {
    if (draft.contentType === null) return false;
    const text = draft.json === undefined ? '{}' : JSON.stringify(draft.json);
    draft.raw = chance.pick<string | Buffer>([
      '',
      text.slice(0, -1),
      `${text}}`,
      `\ufeff${text}`,
      `{"a":1,"a":2,${text.slice(1)}`,
      text.replace('"', "'"),
      `${text}\n\n${text}`,
      '[[[['.repeat(20_000),
      '{"a":'.repeat(30_000),
      `"${'\\ud800'.repeat(200)}"`,
      'NaN',
      '1e999999',
      Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28, 0xf0, 0x9f]), Buffer.from('"}')]),
      `{"name":"${'y'.repeat(1_100_000)}"}`,
    ]);
    return true;
  },
  contentType(draft, chance) {
    draft.contentType = chance.pick([
      null,
      'text/plain',
      'text/html',
      'application/xml',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-16',
      'application/json;charset=UTF-8',
      'APPLICATION/JSON',
      'application/vnd.api+json',
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'multipart/form-data; boundary=x',
      'application/json, text/plain',
      'json',
      ';;;',
      'image/png',
    ]);
    if (draft.json === undefined && draft.raw === undefined)
      draft.raw = chance.pick(['', '{}', 'x=1', '--x\r\n\r\n']);
    return true;
  },
};

const around: Record<string, Mutation> = {
  query(draft, chance) {
    const known = draft.query.length > 0 ? chance.pick(draft.query)[0] : 'page';
    const name = chance.once(3)
      ? chance.pick(['colour', '', '__proto__', 'page[]', 'api_key', 'limit '])
      : known;
    const value = chance.pick([
      ...ODD_TEXTS,
      '0',
      '-1',
      '101',
      '1e3',
      '1.5',
      '999999999999',
      'z'.repeat(5_000),
    ]);
    draft.query = [...draft.query.filter(([one]) => one !== name || chance.once(3)), [name, value]];
    return true;
  },
  longQuery(draft, chance) {
    draft.query = [...draft.query, ['search', 'q'.repeat(chance.pick([9_000, 20_000, 70_000]))]];
    return true;
  },
  id(draft, chance) {
    if (!draft.path.includes('/')) return false;
    const parts = draft.path.split('/');
    const at = parts.findIndex((part) => part.includes('_'));
    if (at < 0) return false;
    parts[at] = chance.pick([
      ...ODD_TEXTS.filter((text) => text.isWellFormed()).map((text) => encodeURIComponent(text)),
      '%00',
      '%ff%fe',
      '%zz',
      '%',
      '..%2f..%2fetc',
      'a'.repeat(201),
      'a'.repeat(9_000),
      ';v=1',
      '%2e%2e',
    ]);
    draft.path = parts.join('/');
    return true;
  },
  path(draft, chance) {
    draft.path = chance.pick([
      `${draft.path}/`,
      `/${draft.path}`,
      draft.path.replace('/v1', '/v2'),
      draft.path.toUpperCase(),
      `${draft.path}/extra`,
      `${draft.path}%20`,
      draft.path.slice(0, -1),
    ]);
    return true;
  },
  method(draft, chance) {
    draft.method = chance.pick([
      'GET',
      'POST',
      'PATCH',
      'PUT',
      'DELETE',
      'OPTIONS',
      'HEAD',
      'PROPFIND',
      'TRACE',
    ]);
    return true;
  },
  key(draft, chance) {
    draft.key = chance.pick([undefined, '', 'plk_unknown', 'x'.repeat(5_000), 'a b', 'Basic Zm9v', '%00']);
    if (chance.once(4)) draft.query.push(['api_key', 'plk_in_the_address']);
    return true;
  },
  header(draft, chance) {
    const [name, value] = chance.pick<[string, string]>([
      ['idempotency-key', ''],
      ['idempotency-key', 'k'.repeat(5_000)],
      ['idempotency-key', String(chance.int(40))],
      ['if-none-match', '"'],
      ['if-none-match', '*'],
      ['range', 'bytes=9-1'],
      ['accept', 'text/html;q=banana'],
      ['accept-encoding', 'gzip;q=0, *;q=9'],
      ['origin', 'null'],
      ['x-request-id', 'x'.repeat(3_000)],
      ['x-forwarded-for', "1.2.3.4, '; --"],
      ['x-http-method-override', 'DELETE'],
      ['content-encoding', 'gzip'],
      ['cookie', 'a='.repeat(2_000)],
      ['upgrade-insecure-requests', '1'],
      ['authorization', 'Bearer a, Bearer b'],
    ]);
    draft.headers[name] = value;
    return true;
  },
};

const MUTATIONS = [
  // Bodies are where most of the code is.
  ...Object.entries({ ...body, ...around }),
  ...Object.entries(body),
  ['replace', body['replace']!] as [string, Mutation],
  ['replace', body['replace']!] as [string, Mutation],
];

/** Breaks a request in up to three ways; what was done stands in `done`. */
export function mutate(draft: Draft, chance: Chance): Draft {
  for (let n = chance.pick([0, 1, 1, 1, 2, 3]); n > 0; n--) {
    const [name, apply] = chance.pick(MUTATIONS);
    if (apply(draft, chance)) draft.done.push(name);
  }
  return draft;
}

export function callOf(draft: Draft, from?: string): Call {
  const query = draft.query
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`)
    .join('&');
  // A lone half of a pair cannot stand in JSON text as such; it goes as its escape, which JSON allows.
  const body = draft.raw ?? (draft.json === undefined ? undefined : JSON.stringify(draft.json));
  return {
    method: draft.method,
    path: query === '' ? draft.path : `${draft.path}?${query}`,
    key: draft.key,
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(body === undefined || draft.contentType === null ? {} : { 'content-type': draft.contentType }),
      ...draft.headers,
    },
    from,
  };
}

function valueAt(value: unknown, at: readonly string[]): unknown {
  return at.reduce<unknown>(
    (one, key) => (Array.isArray(one) ? one[Number(key)] : objectOf(one)[key]),
    value,
  );
}
