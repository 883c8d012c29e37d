/* The docs page: renders /openapi.json. Everything is set as text, never as HTML. */

interface Schema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
}

interface Content {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, unknown>;
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: { name: string; in: string; schema: Schema; required?: boolean; description?: string }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { description: string; content?: Record<string, Content> }>;
}

/** What is not an operation: the socket, the content host, the webhooks. */
interface Extension extends Record<string, unknown> {
  summary?: string;
  description?: string | undefined;
}

interface OpenApi {
  info: { description: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Pick<Operation, 'summary' | 'description' | 'requestBody'> }>;
  'x-websocket': Record<string, Extension>;
  'x-content-host': Record<string, Extension>;
}

function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) {
    throw new Error(`The page has no #${id}.`);
  }
  return found;
}

type TagName = keyof HTMLElementTagNameMap;

function createElement<T extends TagName>(
  name: T,
  text = '',
  ...children: (Node | string)[]
): HTMLElementTagNameMap[T] {
  const node = document.createElement(name);
  if (text) {
    node.textContent = text;
  }
  node.append(...children);
  return node;
}

/** Text between backticks becomes code elements. */
function richText<T extends TagName>(name: T, text = ''): HTMLElementTagNameMap[T] {
  const parts = text.split('`').map((part, i) => (i % 2 ? createElement('code', part) : part));
  return createElement(name, '', ...parts);
}

function createLink(text: string, id: string): HTMLElement {
  const link = richText('a', text);
  link.href = `#${id}`;
  return link;
}

const createBlock = (title: string, value: unknown): HTMLElement =>
  createElement(
    'details',
    '',
    createElement('summary', title),
    createElement('pre', JSON.stringify(value, null, 2)),
  );

function typeOf(schema: Schema): string {
  if (schema.enum) {
    return schema.enum.join(' | ');
  }
  if (schema.const !== undefined) {
    return JSON.stringify(schema.const);
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) {
    return alternatives.map(typeOf).join(' or ');
  }
  return schema.type === 'array' ? `${typeOf(schema.items ?? {})}[]` : (schema.type ?? 'any');
}

const createRow = (name: string, type: string, isRequired: boolean, note = ''): HTMLElement =>
  createElement(
    'tr',
    '',
    createElement('td', name),
    createElement('td', type),
    richText('td', `${isRequired ? 'required. ' : ''}${note}`),
  );

function showOperation(path: string, method: string, operation: Operation): HTMLElement {
  const section = createElement('section');
  section.id = operation.operationId;
  section.append(
    createElement('h3', '', createElement('b', method.toUpperCase()), path),
    richText('p', operation.summary),
    richText('p', operation.description),
  );
  const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const rows = [
    ...(operation.parameters ?? []).map(({ name, in: place, schema, required = false, description }) =>
      createRow(name, `${place}, ${typeOf(schema)}`, required, description ?? schema.description),
    ),
    ...Object.entries(body?.schema.properties ?? {}).map(([name, schema]) =>
      createRow(
        name,
        `body, ${typeOf(schema)}`,
        body?.schema.required?.includes(name) ?? false,
        schema.description,
      ),
    ),
  ];
  if (rows.length > 0) {
    section.append(createElement('table', '', ...rows));
  }
  if (body) {
    section.append(createBlock(`Request: ${type}`, body.example));
  }
  for (const [status, { description, content }] of Object.entries(operation.responses)) {
    const first = Object.values(content ?? {})[0];
    if (Number(status) < 300) {
      section.append(
        createBlock(`${status} response`, first?.example),
        createBlock(`${status} schema`, first?.schema),
      );
    } else {
      const codes = first ? ` ${Object.keys(first.examples ?? {}).join(', ')}` : '';
      const summary = createElement('summary', `${status}${codes}`);
      section.append(createElement('details', '', summary, richText('p', description)));
    }
  }
  return section;
}

function showExtension([path, extension]: [string, Extension]): HTMLElement {
  const { summary, description, security: _security, responses: _responses, ...more } = extension;
  const blocks = Object.entries(more).map(([name, value]) => createBlock(name, value));
  return createElement(
    'article',
    '',
    createElement('h3', path),
    richText('p', summary),
    richText('p', description),
    ...blocks,
  );
}

function showExtensions(title: string, extensions: Record<string, Extension>): void {
  const id = title.toLowerCase().replace(' ', '-');
  const heading = createElement('h2', title);
  heading.id = id;
  byId('index').append(createLink(title, id));
  byId('operations').append(heading, ...Object.entries(extensions).map(showExtension));
}

function showApi(api: OpenApi): void {
  byId('about').append(richText('span', api.info.description));
  for (const { name } of api.tags) {
    byId('index').append(createElement('h2', name));
    byId('operations').append(createElement('h2', name));
    for (const [path, methods] of Object.entries(api.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (operation.tags[0] === name) {
          byId('index').append(createLink(operation.summary, operation.operationId));
          byId('operations').append(showOperation(path, method, operation));
        }
      }
    }
  }
  byId('index').append(createElement('h2', 'Beyond requests'));
  showExtensions('Socket', api['x-websocket']);
  showExtensions('Content host', api['x-content-host']);
  showExtensions(
    'Notifications',
    Object.fromEntries(
      Object.entries(api.webhooks).map(([type, { post }]) => [
        type,
        {
          summary: post.summary,
          description: post.description,
          body: post.requestBody?.content['application/json']?.schema,
        },
      ]),
    ),
  );
}

/** `value` with every reference replaced by the component of `api` that it names. */
const resolveReferences = (value: unknown, api: unknown) =>
  JSON.parse(JSON.stringify(value), (_name, one: unknown) => {
    if (typeof one !== 'object' || one === null || !('$ref' in one)) {
      return one;
    }
    const { $ref, ...beside } = one;
    return { ...resolveReferences(componentAt(String($ref), api), api), ...beside };
  });

/** The component at a reference such as `#/components/schemas/Device`. */
function componentAt(reference: string, api: unknown): unknown {
  const names = reference.split('/').slice(1);
  return names.reduce<unknown>((at, name) => Object(at)[name], api);
}

void fetch('/openapi.json')
  .then((response) => response.json())
  .then((api) => showApi(resolveReferences(api, api)));
