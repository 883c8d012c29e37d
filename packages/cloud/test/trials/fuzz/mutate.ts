import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';
import type { HttpRequest } from '../support/http-client.ts';
import { asArray, asObject } from '../support/json.ts';
import { randomJson, EDGE_CASE_TEXTS } from './values.ts';

/** A request that is being mutated, with the list of its mutations. */
export interface FuzzRequest {
  method: string;
  path: string;
  query: [string, string][];
  contentType: string | null;
  /** The body: a JSON value, or raw text. */
  json?: unknown;
  raw?: string | Buffer;
  key: string | undefined;
  headers: Record<string, string>;
  mutations: string[];
}

type Mutation = (request: FuzzRequest, random: SeededRandom) => boolean;

/** Paths into a JSON value; only the first few of long lists and deep nesting. */
function jsonPaths(value: unknown, at: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null || at.length > 12) {
    return [at];
  }
  return [
    at,
    ...Object.entries(value)
      .slice(0, 20)
      .flatMap(([key, one]) => jsonPaths(one, [...at, key])),
  ];
}

function replaceAt(value: unknown, at: readonly string[], change: (old: unknown) => unknown): unknown {
  const [key, ...rest] = at;
  if (key === undefined) {
    return change(value);
  }
  if (Array.isArray(value)) {
    return value.map((one, i) => (String(i) === key ? replaceAt(one, rest, change) : one));
  }
  const entries = Object.entries(asObject(value)).map(([name, one]): [string, unknown] =>
    name === key ? [name, replaceAt(one, rest, change)] : [name, one],
  );
  return Object.fromEntries(entries);
}

/** Characters of a list that is made longer. */
const MAX_LIST_CHARS = 1_500_000;

const bodyMutations: Record<string, Mutation> = {
  replace(request, random) {
    if (request.json === undefined) {
      return false;
    }
    request.json = replaceAt(request.json, random.pick(jsonPaths(request.json)), () => randomJson(random));
    return true;
  },
  remove(request, random) {
    const at = random.pick(jsonPaths(request.json));
    const key = at.at(-1);
    if (request.json === undefined || key === undefined) {
      return false;
    }
    request.json = replaceAt(request.json, at.slice(0, -1), (old) =>
      Array.isArray(old)
        ? old.filter((_, i) => String(i) !== key)
        : Object.fromEntries(Object.entries(asObject(old)).filter(([name]) => name !== key)),
    );
    return true;
  },
  add(request, random) {
    if (request.json === undefined) {
      return false;
    }
    const objects = jsonPaths(request.json);
    const name = random.pick([...EDGE_CASE_TEXTS, 'colour', 'id', 'created_at', 'x'.repeat(2_000)]);
    request.json = replaceAt(request.json, random.pick(objects), (old) =>
      Array.isArray(old) ? [...old, randomJson(random)] : { ...asObject(old), [name]: randomJson(random) },
    );
    return true;
  },
  many(request, random) {
    if (request.json === undefined || JSON.stringify(request.json).length > 2_000) {
      return false;
    }
    const lists = jsonPaths(request.json).filter((at) => Array.isArray(valueAt(request.json, at)));
    if (lists.length === 0) {
      return false;
    }
    request.json = replaceAt(request.json, random.pick(lists), (old) => {
      const length = random.pick([101, 501, 2_001]);
      const [first = randomJson(random)] = asArray(old);
      // Of long texts fewer: megabytes are refused by their size, and take a second to write and to send.
      const charsEach = JSON.stringify(first)?.length ?? 0;
      return Array.from(
        { length: Math.min(length, Math.ceil(MAX_LIST_CHARS / (charsEach + 1))) },
        () => first,
      );
    });
    return true;
  },
  text(request, random) {
    if (request.contentType === null) {
      return false;
    }
    const text = request.json === undefined ? '{}' : JSON.stringify(request.json);
    request.raw = random.pick<string | Buffer>([
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
  contentType(request, random) {
    request.contentType = random.pick([
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
    if (request.json === undefined && request.raw === undefined) {
      request.raw = random.pick(['', '{}', 'x=1', '--x\r\n\r\n']);
    }
    return true;
  },
};

const requestMutations: Record<string, Mutation> = {
  query(request, random) {
    const known = request.query.length > 0 ? random.pick(request.query)[0] : 'page';
    const name = random.oneIn(3)
      ? random.pick(['colour', '', '__proto__', 'page[]', 'api_key', 'limit '])
      : known;
    const value = random.pick([
      ...EDGE_CASE_TEXTS,
      '0',
      '-1',
      '101',
      '1e3',
      '1.5',
      '999999999999',
      'z'.repeat(5_000),
    ]);
    request.query = [...request.query.filter(([one]) => one !== name || random.oneIn(3)), [name, value]];
    return true;
  },
  longQuery(request, random) {
    request.query = [...request.query, ['search', 'q'.repeat(random.pick([9_000, 20_000, 70_000]))]];
    return true;
  },
  id(request, random) {
    if (!request.path.includes('/')) {
      return false;
    }
    const parts = request.path.split('/');
    const at = parts.findIndex((part) => part.includes('_'));
    if (at < 0) {
      return false;
    }
    parts[at] = random.pick([
      ...EDGE_CASE_TEXTS.filter((text) => text.isWellFormed()).map((text) => encodeURIComponent(text)),
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
    request.path = parts.join('/');
    return true;
  },
  path(request, random) {
    request.path = random.pick([
      `${request.path}/`,
      `/${request.path}`,
      request.path.replace('/v1', '/v2'),
      request.path.toUpperCase(),
      `${request.path}/extra`,
      `${request.path}%20`,
      request.path.slice(0, -1),
    ]);
    return true;
  },
  method(request, random) {
    request.method = random.pick([
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
  key(request, random) {
    request.key = random.pick([undefined, '', 'plk_unknown', 'x'.repeat(5_000), 'a b', 'Basic Zm9v', '%00']);
    if (random.oneIn(4)) {
      request.query.push(['api_key', 'plk_in_the_address']);
    }
    return true;
  },
  header(request, random) {
    const [name, value] = random.pick<[string, string]>([
      ['idempotency-key', ''],
      ['idempotency-key', 'k'.repeat(5_000)],
      ['idempotency-key', String(random.below(40))],
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
    request.headers[name] = value;
    return true;
  },
};

const MUTATIONS = [
  // Bodies are listed twice because most of the code handles them.
  ...Object.entries({ ...bodyMutations, ...requestMutations }),
  ...Object.entries(bodyMutations),
  ['replace', bodyMutations['replace']!] as [string, Mutation],
  ['replace', bodyMutations['replace']!] as [string, Mutation],
];

/** Applies up to three mutations to a request; `mutations` lists them. */
export function mutate(request: FuzzRequest, random: SeededRandom): FuzzRequest {
  for (let n = random.pick([0, 1, 1, 1, 2, 3]); n > 0; n--) {
    const [name, apply] = random.pick(MUTATIONS);
    if (apply(request, random)) {
      request.mutations.push(name);
    }
  }
  return request;
}

/** Applies up to three mutations to a message that is not part of a request. */
export function mutateMessage(json: unknown, random: SeededRandom): string | Buffer {
  const request: FuzzRequest = {
    method: '',
    path: '',
    query: [],
    contentType: 'application/json',
    json,
    key: undefined,
    headers: {},
    mutations: [],
  };
  for (let n = random.pick([0, 1, 1, 1, 2, 3]); n > 0; n--) {
    random.pick(Object.values(bodyMutations))(request, random);
  }
  return request.raw ?? JSON.stringify(request.json);
}

export function toHttpRequest(request: FuzzRequest, from?: string): HttpRequest {
  const query = request.query
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`)
    .join('&');
  // JSON.stringify writes a lone surrogate as an escape, which JSON allows.
  const body = request.raw ?? (request.json === undefined ? undefined : JSON.stringify(request.json));
  return {
    method: request.method,
    path: query === '' ? request.path : `${request.path}?${query}`,
    key: request.key,
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(body === undefined || request.contentType === null ? {} : { 'content-type': request.contentType }),
      ...request.headers,
    },
    from,
  };
}

function valueAt(value: unknown, at: readonly string[]): unknown {
  return at.reduce<unknown>(
    (one, key) => (Array.isArray(one) ? one[Number(key)] : asObject(one)[key]),
    value,
  );
}
