/** `value` with every `$ref` replaced by its target in `root`; what stands beside a `$ref` is kept. */
export const resolveReferences = (value: unknown, root: unknown) =>
  JSON.parse(JSON.stringify(value), (_name, one: unknown) => {
    if (typeof one !== 'object' || one === null || !('$ref' in one) || typeof one.$ref !== 'string') {
      return one;
    }
    const { $ref, ...beside } = one;
    return { ...resolveReferences(targetOf($ref, root), root), ...beside };
  });

function targetOf(reference: string, root: unknown): unknown {
  const target = reference
    .split('/')
    .slice(1)
    .reduce<unknown>((at, name) => Object(at)[name.replaceAll('~1', '/')], root);
  if (target === undefined) {
    throw new Error(`${reference} does not exist`);
  }
  return target;
}
