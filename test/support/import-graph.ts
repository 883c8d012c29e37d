import { dirname, posix } from 'node:path';

/** What each node imports. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The graph of the files' relative imports. */
export function importGraph(importsByFile: ReadonlyMap<string, readonly string[]>): Graph {
  return new Map(
    [...importsByFile].map(([file, imports]) => {
      const targets = imports
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => posix.join(dirname(file), specifier));
      return [file, new Set(targets.filter((target) => importsByFile.has(target)))];
    }),
  );
}

/** Groups of nodes that import each other, directly or through others (Tarjan's algorithm). */
export function findCycles(graph: Graph): string[][] {
  const indexes = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (node: string): number => {
    const index = indexes.size;
    let low = index;
    indexes.set(node, index);
    stack.push(node);
    for (const target of graph.get(node) ?? []) {
      if (!indexes.has(target)) {
        low = Math.min(low, visit(target));
      } else if (stack.includes(target)) {
        low = Math.min(low, indexes.get(target) ?? low);
      }
    }
    if (low === index) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1) {
        cycles.push(group.toSorted());
      }
    }
    return low;
  };
  for (const node of graph.keys()) {
    if (!indexes.has(node)) {
      visit(node);
    }
  }
  return cycles;
}

/**
 * Cycles among the direct children of every folder, where a subfolder is one node with all that it contains. So a file
 * may compose the subfolders beside it, and these may import a file above them, but not one that imports them.
 */
export function findFolderCycles(graph: Graph): string[][] {
  const folders = new Set<string>();
  for (const file of graph.keys()) {
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
      folders.add(folder);
    }
  }
  return [...folders].flatMap((folder) => findCycles(childGraph(graph, folder)).filter(hasFolder));
}

const hasFolder = (nodes: readonly string[]) => nodes.some((node) => !node.endsWith('.ts'));

function childGraph(graph: Graph, folder: string): Graph {
  const childOf = (file: string) =>
    file.startsWith(`${folder}/`) ? `${folder}/${file.slice(folder.length + 1).split('/')[0]}` : null;
  const children = new Map<string, Set<string>>();
  for (const [file, targets] of graph) {
    const from = childOf(file);
    if (from === null) {
      continue;
    }
    const found = children.get(from) ?? new Set();
    children.set(from, found);
    for (const target of targets) {
      const to = childOf(target);
      if (to !== null && to !== from) {
        found.add(to);
      }
    }
  }
  return children;
}
