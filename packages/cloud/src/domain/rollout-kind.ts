/** All boards of which there are too few to be compared by themselves. */
export const RARE_KINDS = 'rare boards';
const BETWEEN = ' with ';
const UNKNOWN_SHELL = 'an unknown shell';

/** The name of what devices have in common that are compared with each other. */
export const nameKind = (model: string, shell: string | null): string =>
  `${model}${BETWEEN}${shell ?? UNKNOWN_SHELL}`;

/** A kind as clients are told of it, also in parts. A kind of null: all. */
export const kindFields = <Kind extends string | null>(kind: Kind) => ({ kind, ...partsOf(kind) });

function partsOf(kind: string | null): { model: string | null; shell: string | null } {
  if (kind === null || kind === RARE_KINDS) {
    return { model: null, shell: null };
  }
  const end = kind.lastIndexOf(BETWEEN);
  const shell = kind.slice(end + BETWEEN.length);
  return { model: kind.slice(0, end), shell: shell === UNKNOWN_SHELL ? null : shell };
}
