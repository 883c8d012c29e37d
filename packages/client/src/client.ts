import { streamEvents } from './event-stream.ts';
import type { EventStreamOptions } from './event-stream.ts';
import { RESOURCES } from './resources.generated.ts';
import type { Event, Resources, Routes } from './resources.generated.ts';
import { createPages } from './pages.ts';
import { createConnection } from './request.ts';
import type { ClientOptions, Connection, Options, Shape } from './request.ts';
import type { Data, Input, MetaOf, Result, UntypedInput } from './types.ts';

/** A route that this version of the client does not know. */
type OtherRoute = `${'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

/** All operations of a cloud, by resource. */
export interface PlacardClient extends Omit<Resources, 'events'> {
  readonly events: Resources['events'] & {
    /** What happens, as it happens, without an end; see `EventStreamOptions`. */
    stream(options?: EventStreamOptions): AsyncGenerator<Event, never>;
  };
  /**
   * Sends a request to any route, with all that comes back: `ETag`, `meta`, headers.
   * `placard.request('GET /v1/devices/{id}', { path: { id } })`
   */
  request<R extends keyof Routes>(
    route: R,
    ...input: object extends Input<Routes[R]> ? [input?: Input<Routes[R]>] : [input: Input<Routes[R]>]
  ): Promise<Result<Data<Routes[R]>, MetaOf<Routes[R]>>>;
  request<R extends OtherRoute>(
    route: R extends keyof Routes ? never : R,
    input?: UntypedInput,
  ): Promise<Result>;
}

/** The client of a cloud. Nothing is sent before the first request. */
export function createClient(options: ClientOptions = {}): PlacardClient {
  const connection = createConnection(options);
  const namespaces = Object.entries(RESOURCES).map(([namespace, methods]) => [
    namespace,
    Object.fromEntries(
      Object.entries(methods).map(([name, signature]) => [name, bindMethod(connection, signature)]),
    ),
  ]);
  // The table is generated together with the types.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const resources = Object.fromEntries(namespaces) as unknown as Resources;
  const client: Omit<PlacardClient, 'request'> & {
    request: (route: string, input?: UntypedInput) => Promise<Result>;
  } = {
    ...resources,
    events: {
      ...resources.events,
      stream: (streamOptions) => streamEvents(connection, resources.events, streamOptions),
    },
    request: (route, input = {}) =>
      connection.request(route, input, SHAPES.get(route) ?? shapeOfOther(route)),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return client as PlacardClient;
}

const shapeOfOther = (route: string): Shape => ({
  sends: 'json',
  expects: route.startsWith('HEAD ') ? 'response' : 'json',
  takesKey: route.startsWith('POST '),
});

/** An entry of the table: `GET /v1/devices query list`. */
function parseSignature(signature: string) {
  const [method = '', path = '', takes = '', returns = '', key] = signature.split(' ');
  const shape: Shape = {
    sends: takes === 'form' || takes.includes('/') ? takes : 'json',
    expects: returns === 'response' ? 'response' : 'json',
    takesKey: key !== undefined,
  };
  return { route: `${method} ${path}`, path, takes, returns, shape };
}

const SHAPES: ReadonlyMap<string, Shape> = new Map(
  Object.values(RESOURCES)
    .flatMap((methods) => Object.values(methods))
    .map((signature) => {
      const { route, shape } = parseSignature(signature);
      return [route, shape];
    }),
);

/** Begins a list that continues by cursor; events begin with the oldest one anyway. */
const FIRST_CURSOR = 'first';
const EVENTS = '/v1/events';

type Fields = Readonly<Record<string, unknown>>;

/** The method of an operation: takes the parameters of its path, then its body or query, then options. */
function bindMethod(connection: Connection, signature: string) {
  const { route, path, takes, returns, shape } = parseSignature(signature);
  const names = path.match(/(?<=\{)\w+(?=\})/g) ?? [];
  return (...args: unknown[]) => {
    const parameters = Object.fromEntries(names.map((name, index) => [name, args[index]]));
    const rest = args.slice(names.length);
    const given = takes === 'none' ? undefined : rest.shift();
    // The types of the resources have checked what the caller passes.
    /* oxlint-disable typescript/no-unsafe-type-assertion */
    const options = (rest[0] ?? {}) as Options;
    const input = { ...options, path: parameters as Record<string, string> };
    if (returns === 'pages' || returns === 'list') {
      return createPages(
        (query) => connection.request(route, { ...input, query }, shape),
        given as Fields | undefined,
        returns === 'list' && path !== EVENTS ? { cursor: FIRST_CURSOR } : {},
      );
    }
    const sent = takes === 'query' ? { query: given as Fields | undefined } : { body: given };
    /* oxlint-enable typescript/no-unsafe-type-assertion */
    return connection.request(route, { ...input, ...sent }, shape).then(({ data }) => data);
  };
}
