import { globSync } from 'node:fs';
import { sep } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** Every TypeScript file of the project, relative to its root, with `/` between folders. */
export const sourceFiles = (): string[] =>
  globSync(['{src,renderer,scripts,test}/**/*.ts', 'packages/*/{src,test,pages,scripts}/**/*.{ts,tsx}'])
    .map((file) => file.split(sep).join('/'))
    .filter((file) => !file.includes('node_modules'));

/** The dependencies of one source file: modules it imports, and impure globals it uses. */
export interface SourceScan {
  /** Module specifiers of every import, re-export and `import()` of a literal, in order of appearance. */
  imports: string[];
  /** Uses of ambient time, randomness, timers, network and platform: `Date.now`, `new Date()`, `setTimeout`, `document` … */
  ambient: string[];
}

const AMBIENT_GLOBALS = new Set([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'queueMicrotask',
  'requestAnimationFrame',
  'fetch',
  'performance',
  'process',
  'window',
  'document',
  'navigator',
  'localStorage',
  'console',
  'crypto',
]);

function parse(fileName: string, source: string) {
  const { program, errors } = parseSync(fileName, source);
  if (errors.length > 0) {
    throw new Error(`${fileName} cannot be parsed: ${errors[0]?.message}`);
  }
  return program;
}

/** Every name that the source declares or uses. */
export function identifiersIn(fileName: string, source: string): Set<string> {
  const names = new Set<string>();
  new Visitor({
    Identifier: ({ name }) => void names.add(name),
    PrivateIdentifier: ({ name }) => void names.add(name),
  }).visit(parse(fileName, source));
  return names;
}

/** Parses TypeScript source and lists its imports and its use of ambient time, randomness and I/O. */
export function scanSource(fileName: string, source: string): SourceScan {
  const imports: string[] = [];
  const ambient: string[] = [];
  const notReferences = new Set<number>();
  new Visitor({
    ImportDeclaration: (node) => void imports.push(node.source.value),
    ExportAllDeclaration: (node) => void imports.push(node.source.value),
    ExportNamedDeclaration: (node) => {
      if (node.source) {
        imports.push(node.source.value);
      }
    },
    ImportExpression: (node) => {
      if (node.source.type === 'Literal' && typeof node.source.value === 'string') {
        imports.push(node.source.value);
      }
    },
    NewExpression: (node) => {
      if (node.callee.type === 'Identifier' && node.callee.name === 'Date' && node.arguments.length === 0) {
        ambient.push('new Date()');
      }
    },
    MemberExpression: (node) => {
      if (node.computed || node.property.type !== 'Identifier') {
        return;
      }
      notReferences.add(node.property.start);
      if (node.object.type !== 'Identifier') {
        return;
      }
      const name = `${node.object.name}.${node.property.name}`;
      if (name === 'Date.now' || name === 'Math.random') {
        ambient.push(name);
      }
    },
    Property: (node) => {
      if (!node.computed && !node.shorthand) {
        notReferences.add(node.key.start);
      }
    },
    TSPropertySignature: (node) => void notReferences.add(node.key.start),
    TSMethodSignature: (node) => void notReferences.add(node.key.start),
    Identifier: (node) => {
      if (AMBIENT_GLOBALS.has(node.name) && !notReferences.has(node.start)) {
        ambient.push(node.name);
      }
    },
  }).visit(parse(fileName, source));
  return { imports, ambient };
}
