import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const component = z.looseObject({ 'bom-ref': z.string(), name: z.string() });
const bill = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component }),
  components: z.array(component),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});
export type Bill = z.infer<typeof bill>;

/** What is released, by the name of its package. */
export const PRODUCTS = { player: 'placard', cloud: '@placard/cloud' } as const;

/** What npm says of all packages in the lock file, those for development among them: its `--omit dev` leaves out too much. */
export function wholeBill(repository: string): Bill {
  const { status, stdout, stderr } = spawnSync(
    'npm',
    ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'],
    { cwd: repository, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, shell: process.platform === 'win32' },
  );
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr.trim()}`);
  return bill.parse(JSON.parse(stdout));
}

/** The part of it that one product needs at run time. */
export function billOf(whole: Bill, product: string, repository: string): Bill {
  const needs = new Map(whole.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const { component: top } = whole.metadata;
  const own = [top, ...whole.components].find((each) => nameOf(each['bom-ref']) === product);
  if (!own) throw new Error(`npm sbom names no ${product}`);
  const kept = new Map<string, string[]>();
  const visit = (ref: string): void => {
    if (kept.has(ref)) return;
    const named = namedBy(nameOf(ref), repository);
    const next = (needs.get(ref) ?? []).filter((each) => named === null || named.has(nameOf(each)));
    kept.set(ref, next);
    for (const each of next) visit(each);
  };
  visit(own['bom-ref']);
  return {
    ...whole,
    // npm takes the names of the folders that our packages happen to lie in.
    metadata: { ...whole.metadata, component: { ...own, name: product, type: 'application' } },
    components: whole.components
      .filter((each) => each !== own && kept.has(each['bom-ref']))
      .map((each) =>
        each['bom-ref'].startsWith('@placard/') ? { ...each, name: nameOf(each['bom-ref']) } : each,
      ),
    dependencies: [...kept].map(([ref, dependsOn]) => ({ ref, dependsOn })),
  };
}

/** `@placard/cloud` of `@placard/cloud@0.1.0`. */
const nameOf = (ref: string): string => ref.slice(0, ref.lastIndexOf('@'));

const manifest = z.object({
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

/** What a package of ours needs at run time; npm lists for these what is for development too. Null for one of others. */
function namedBy(name: string, repository: string): Set<string> | null {
  const folder = name === PRODUCTS.player ? '' : /^@placard\/(\w+)$/.exec(name)?.[1];
  if (folder === undefined) return null;
  const file = join(repository, folder && `packages/${folder}`, 'package.json');
  const { dependencies, optionalDependencies } = manifest.parse(JSON.parse(readFileSync(file, 'utf8')));
  return new Set([...Object.keys(dependencies), ...Object.keys(optionalDependencies)]);
}
