import { join } from 'node:path';
import { z } from 'zod';
import { readPackageJson } from '../repository.ts';
import { run } from '../run.ts';

const component = z.looseObject({ 'bom-ref': z.string(), name: z.string() });
const sbom = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component }),
  components: z.array(component),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});
export type Sbom = z.infer<typeof sbom>;

/** The released products, with the names of their packages. */
export const PRODUCTS = { player: 'placard', cloud: '@placard/cloud' } as const;

/** The SBOM of all packages in the lock file, development ones included: npm's `--omit dev` leaves out too much. */
export function readFullSbom(repository: string): Sbom {
  const options = ['--sbom-format', 'cyclonedx', '--package-lock-only'];
  return sbom.parse(JSON.parse(run('npm', ['sbom', ...options], { cwd: repository })));
}

/** The part of the SBOM that one product needs at run time. */
export function sbomForProduct(whole: Sbom, product: string, repository: string): Sbom {
  const dependenciesOf = new Map(whole.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const { component: top } = whole.metadata;
  const rootComponent = [top, ...whole.components].find((each) => nameOf(each['bom-ref']) === product);
  if (!rootComponent) {
    throw new Error(`npm sbom lists no ${product}`);
  }
  const includedRefs = new Map<string, string[]>();
  const visit = (ref: string): void => {
    if (includedRefs.has(ref)) {
      return;
    }
    const runtimeNames = readRuntimeDependencies(nameOf(ref), repository);
    const next = (dependenciesOf.get(ref) ?? []).filter(
      (each) => runtimeNames === null || runtimeNames.has(nameOf(each)),
    );
    includedRefs.set(ref, next);
    for (const each of next) {
      visit(each);
    }
  };
  visit(rootComponent['bom-ref']);
  return {
    ...whole,
    // npm uses the folder names of the project's own packages.
    metadata: { ...whole.metadata, component: { ...rootComponent, name: product, type: 'application' } },
    components: whole.components
      .filter((each) => each !== rootComponent && includedRefs.has(each['bom-ref']))
      .map((each) =>
        each['bom-ref'].startsWith('@placard/') ? { ...each, name: nameOf(each['bom-ref']) } : each,
      ),
    dependencies: [...includedRefs].map(([ref, dependsOn]) => ({ ref, dependsOn })),
  };
}

/** `@placard/cloud` of `@placard/cloud@0.1.0`. */
const nameOf = (ref: string): string => ref.slice(0, ref.lastIndexOf('@'));

/** Runtime dependencies of a package of this project, for which npm also lists development ones. Null for other packages. */
function readRuntimeDependencies(name: string, repository: string): Set<string> | null {
  const folder = name === PRODUCTS.player ? '' : /^@placard\/(\w+)$/.exec(name)?.[1];
  if (folder === undefined) {
    return null;
  }
  const { dependencies, optionalDependencies } = readPackageJson(
    join(repository, folder && `packages/${folder}`),
  );
  return new Set([...Object.keys(dependencies), ...Object.keys(optionalDependencies)]);
}
