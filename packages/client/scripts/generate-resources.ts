import { methodNameOf, namespaceOf } from './operation-names.ts';
import type { ApiOperation, OpenApiDocument, Parameter, Schema } from './openapi-document.ts';

interface Method {
  namespace: string;
  name: string;
  route: string;
  operation: ApiOperation;
}

const MODELS = '#/components/schemas/';
const JSON_TYPE = 'application/json';

/** The resources with their methods: what each sends and returns, as types and as a table for the program. */
export function generateResources(document: OpenApiDocument): string {
  const methods = methodsOf(document);
  const namespaces = [...new Set(methods.map(({ namespace }) => namespace))];
  const inNamespace = (namespace: string) => methods.filter((each) => each.namespace === namespace);
  return [
    `import type { Pages } from './pages.ts';`,
    `import type { Body, Data, Query, RequestOptions, WithQuery } from './types.ts';`,
    `import type { components } from './schema.generated.ts';`,
    '',
    ...Object.keys(document.components.schemas).map(
      (name) => `export type ${name} = components['schemas']['${name}'];`,
    ),
    '',
    ...namespaces.map(
      (namespace) =>
        `export interface ${interfaceOf(namespace)} {\n${inNamespace(namespace).map(methodType).join('\n')}\n}\n`,
    ),
    '/** All operations, by resource. */',
    `export interface Resources {\n${namespaces.map((each) => `readonly ${each}: ${interfaceOf(each)};`).join('\n')}\n}\n`,
    '/** The operation of each route. */',
    `export interface Routes {\n${methods.map(({ route, operation }) => `'${route}': '${operation.operationId}';`).join('\n')}\n}\n`,
    '/** Route, what the method takes and returns, and `key` when it takes an idempotency key. */',
    `export const RESOURCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {\n${namespaces
      .map(
        (namespace) =>
          `${namespace}: {\n${inNamespace(namespace)
            .map((method) => `${method.name}: '${signatureOf(method)}',`)
            .join('\n')}\n},`,
      )
      .join('\n')}\n};\n`,
  ].join('\n');
}

function signatureOf(method: Method): string {
  const takesKey = method.operation.parameters.some(
    (each) => '$ref' in each && each.$ref.endsWith('/IdempotencyKey'),
  );
  return [method.route, inputOf(method), outputOf(method), ...(takesKey ? ['key'] : [])].join(' ');
}

function methodsOf({ paths }: OpenApiDocument): Method[] {
  const methods = Object.entries(paths).flatMap(([path, byVerb]) =>
    Object.entries(byVerb).map(([verb, operation]): Method => {
      const namespace = namespaceOf(operation.tags[0] ?? '');
      return {
        namespace,
        name: methodNameOf(operation.operationId, namespace),
        route: `${verb.toUpperCase()} ${path}`,
        operation,
      };
    }),
  );
  const names = methods.map(({ namespace, name }) => `${namespace}.${name}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new Error(`two operations are ${twice}: give one of them another operation id`);
  }
  return methods;
}

const interfaceOf = (namespace: string): string =>
  `${namespace.slice(0, 1).toUpperCase()}${namespace.slice(1)}Resource`;

function methodType(method: Method): string {
  const { name, route, operation } = method;
  const { operationId: id } = operation;
  const input = inputOf(method);
  const parameters = (route.match(/(?<=\{)\w+(?=\})/g) ?? []).map((each) => `${toCamelCase(each)}: string`);
  const takesBody = input !== 'query' && input !== 'none';
  if (takesBody) {
    parameters.push(`body${operation.requestBody?.required === true ? '' : '?'}: ${bodyType(operation)}`);
  } else if (input === 'query') {
    const isNeeded = queryOf(operation).some(({ required }) => required);
    parameters.push(`query${isNeeded ? '' : '?'}: Query<'${id}'>`);
  }
  const hasBoth = input !== 'query' && queryOf(operation).length > 0;
  parameters.push(`options?: ${hasBoth ? `WithQuery<'${id}'>` : 'RequestOptions'}`);
  return `${comment(method)}\n${name}(${parameters.join(', ')}): ${returnType(method)};`;
}

function comment({ route, operation }: Method): string {
  const note = operation.deprecated === true ? '@deprecated' : '';
  const text = [`${operation.summary}.`, operation.description ?? '', `\`${route}\``, note]
    .filter(Boolean)
    .join('\n\n');
  const lines = text
    .replaceAll('*/', '* /')
    .split('\n')
    .flatMap((line) => wrap(line));
  return ['/**', ...lines.map((line) => ` * ${line}`.trimEnd()), ' */'].join('\n');
}

const WIDTH = 106;

function wrap(line: string): string[] {
  const lines = [''];
  for (const word of line.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last.length + word.length + 1 > WIDTH) {
      lines.push(word);
    } else {
      lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
    }
  }
  return lines;
}

const queryOf = ({ parameters }: ApiOperation): Parameter[] =>
  parameters.filter((each): each is Parameter => 'in' in each && each.in === 'query');

/**
 * `body` is JSON; bytes have the content type instead. Changes take their query in the options, so that a new one does not
 * move the others.
 */
function inputOf({ operation, route }: Method): string {
  const [type] = Object.keys(operation.requestBody?.content ?? {});
  if (type !== undefined) {
    return type === JSON_TYPE ? 'body' : type === 'multipart/form-data' ? 'form' : type;
  }
  return route.startsWith('GET ') && queryOf(operation).length > 0 ? 'query' : 'none';
}

const successOf = ({ responses }: ApiOperation) =>
  Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {};

/** How the response is read; `list` continues by cursor when the operation takes one, otherwise by numbered pages. */
function outputOf({ operation }: Method): 'data' | 'pages' | 'list' | 'response' | 'nothing' {
  const content = successOf(operation);
  const json = content[JSON_TYPE];
  if (!json) {
    return Object.keys(content).length === 0 ? 'nothing' : 'response';
  }
  if (!json.schema.properties?.['meta']) {
    return 'data';
  }
  return queryOf(operation).some(({ name }) => name === 'cursor') ? 'list' : 'pages';
}

function returnType(method: Method): string {
  const { operation } = method;
  const output = outputOf(method);
  if (output === 'response' || output === 'nothing') {
    return output === 'response' ? 'Promise<Response>' : 'Promise<void>';
  }
  const data = successOf(operation)[JSON_TYPE]?.schema.properties?.['data'];
  const all = `Data<'${operation.operationId}'>`;
  if (output === 'data') {
    return `Promise<${modelOf(data) ?? all}>`;
  }
  return `Pages<${modelOf(data?.items) ?? `${all}[number]`}>`;
}

function bodyType(operation: ApiOperation): string {
  const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  return modelOf(schema) ?? `Body<'${operation.operationId}'>`;
}

const modelOf = (schema: Schema | undefined): string | null =>
  schema?.$ref?.startsWith(MODELS) === true ? schema.$ref.slice(MODELS.length) : null;

const toCamelCase = (name: string): string =>
  name.replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase());
