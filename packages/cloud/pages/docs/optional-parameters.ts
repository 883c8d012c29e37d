interface Schema {
  example?: unknown;
  default?: unknown;
  enum?: readonly unknown[];
}

interface Parameter {
  in: string;
  required?: boolean;
  schema?: Schema;
}

interface Operation {
  parameters?: readonly (Parameter | { $ref: string })[];
}

/** By path and method. */
export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** The viewer would try each request with an example of every filter, which nothing matches: these wait to be chosen. */
export const withUnsentFilters = (paths: Paths): Paths =>
  mapValues(paths, (methods) =>
    mapValues(methods, (operation) => ({
      ...operation,
      ...(operation.parameters && { parameters: operation.parameters.map(withoutValue) }),
    })),
  );

function withoutValue(parameter: Parameter | { $ref: string }) {
  if ('$ref' in parameter || parameter.in !== 'query' || parameter.required === true) {
    return parameter;
  }
  const { schema } = parameter;
  const value = schema?.example ?? schema?.default ?? schema?.enum?.[0] ?? '';
  return { ...parameter, examples: { default: { value, 'x-disabled': true } } };
}

const mapValues = <V, W>(values: Readonly<Record<string, V>>, change: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
