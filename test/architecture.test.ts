import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scanSource, sourceFiles } from './support/source-scan.ts';

interface Layer {
  /** Longest matching prefix wins. */
  path: string;
  /** Layers that it may import, besides itself. */
  mayImport: readonly string[];
  /** npm packages that it may import; `node:` stands for every Node built-in module. */
  packages: readonly string[] | 'any';
  /** No time, randomness, timers, network or platform except what is passed in. */
  pure?: true;
  /** Its direct subfolders do not import each other. */
  isolatesSubfolders?: true;
}

const CLOUD = 'packages/cloud/src';
const cloudLayer = (name: string, more: readonly string[] = []): Layer => ({
  path: `${CLOUD}/${name}/`,
  mayImport: ['packages/protocol/', 'packages/schedule/', `${CLOUD}/domain/`, ...more],
  packages: 'any',
});

const CONSOLE = 'packages/console/src';
const CONSOLE_PACKAGES = [
  'react',
  '@tanstack/react-query',
  '@tanstack/react-router',
  '@tanstack/react-virtual',
];
const consoleArea = (name: string): Layer => ({
  path: `${CONSOLE}/${name}/`,
  mayImport: ['packages/client/', ...['api', 'i18n', 'ui'].map((folder) => `${CONSOLE}/${folder}/`)],
  packages: CONSOLE_PACKAGES,
});

/** The layers. A row here is changed by an architecture decision, not in passing. */
const LAYERS: readonly Layer[] = [
  { path: 'packages/protocol/', mayImport: [], packages: ['zod'], pure: true },
  { path: 'packages/schedule/', mayImport: [], packages: ['rrule', 'temporal-polyfill'], pure: true },
  // Knows the API only by its OpenAPI description: what it needs of that is generated into it.
  { path: 'packages/client/', mayImport: [], packages: ['eventsource-parser'] },
  // The command line knows the API only by the client.
  { path: 'packages/cli/', mayImport: ['packages/client/'], packages: ['node:', 'commander'] },
  { path: 'src/core/', mayImport: ['packages/protocol/', 'packages/schedule/'], packages: [], pure: true },
  {
    path: 'src/runtime/',
    mayImport: ['packages/protocol/', 'packages/schedule/', 'src/core/', 'src/stage-link/'],
    packages: ['node:', 'zod', 'pino'],
  },
  {
    path: 'src/runtime/main.ts',
    mayImport: ['packages/protocol/', 'src/core/', 'src/stage-link/', 'src/runtime/', 'src/adapters/'],
    packages: 'any',
  },
  { path: 'src/adapters/files/', mayImport: [], packages: ['node:'] },
  {
    path: 'src/adapters/',
    mayImport: ['packages/protocol/', 'src/core/', 'src/adapters/files/'],
    packages: 'any',
    isolatesSubfolders: true,
  },
  { path: 'src/stage-link/', mayImport: ['packages/protocol/'], packages: ['node:', 'ws', 'zod', 'pino'] },
  {
    path: 'renderer/',
    mayImport: ['packages/protocol/'],
    packages: ['lean-qr', 'zod'],
  },
  // What is shown of a cloud comes from its API alone; the parts of the console meet in `app`.
  // The advice about faults is that of the screens.
  {
    path: `${CONSOLE}/i18n/`,
    mayImport: ['packages/protocol/', 'renderer/strings/'],
    packages: ['react'],
  },
  { path: `${CONSOLE}/api/`, mayImport: ['packages/client/'], packages: CONSOLE_PACKAGES },
  {
    path: `${CONSOLE}/ui/`,
    mayImport: ['packages/client/', `${CONSOLE}/i18n/`],
    packages: ['react', '@base-ui/react', 'uplot'],
  },
  ...['fleet', 'device', 'sign-in', 'stores', 'content', 'analytics', 'device-filter'].map((name) =>
    consoleArea(name),
  ),
  // Both choose devices in the same way.
  ...['alerts', 'rollouts'].map((name) => ({
    ...consoleArea(name),
    mayImport: [...consoleArea(name).mayImport, `${CONSOLE}/device-filter/`],
  })),
  {
    ...consoleArea('playlists'),
    mayImport: [...consoleArea('playlists').mayImport, `${CONSOLE}/stage-preview/`],
    packages: [...CONSOLE_PACKAGES, '@dnd-kit/core', '@dnd-kit/sortable', '@dnd-kit/utilities'],
  },
  // The stage of the player itself, so that a preview looks like the screen.
  { path: `${CONSOLE}/stage-preview/`, mayImport: ['renderer/stage/'], packages: ['react'] },
  { ...consoleArea('settings'), packages: [...CONSOLE_PACKAGES, 'lean-qr'] },
  {
    path: `${CONSOLE}/schedules/`,
    // Rules that are not stored yet are drawn as the screens would read them.
    mayImport: [...consoleArea('schedules').mayImport, 'packages/schedule/'],
    packages: CONSOLE_PACKAGES,
  },
  // A page of its own that opens at once on a phone: neither React nor the client.
  { path: `${CONSOLE}/pairing/`, mayImport: ['packages/protocol/'], packages: [] },
  {
    path: `${CONSOLE}/`,
    mayImport: ['packages/client/', `${CONSOLE}/`],
    packages: [...CONSOLE_PACKAGES, 'react-dom'],
  },
  { path: 'packages/cloud/pages/', mayImport: [], packages: ['scalar'] },
  {
    path: 'src/shells/',
    mayImport: ['packages/protocol/', 'src/core/', 'src/runtime/', 'src/stage-link/', 'src/adapters/'],
    packages: 'any',
  },
  {
    path: `${CLOUD}/domain/`,
    mayImport: ['packages/protocol/', 'packages/schedule/'],
    packages: ['zod'],
    pure: true,
  },
  cloudLayer('disk'),
  cloudLayer('cluster', [`${CLOUD}/database/`]),
  cloudLayer('program'),
  cloudLayer('event-loop'),
  cloudLayer('outbound'),
  cloudLayer('mail'),
  cloudLayer('tracing'),
  cloudLayer('metrics', [`${CLOUD}/database/`, `${CLOUD}/disk/`]),
  cloudLayer('database', [`${CLOUD}/disk/`, `${CLOUD}/event-loop/`, `${CLOUD}/program/`]),
  cloudLayer('blob'),
  cloudLayer('bus'),
  cloudLayer('media', [`${CLOUD}/program/`]),
  cloudLayer('webhooks', [`${CLOUD}/database/`, `${CLOUD}/outbound/`]),
  cloudLayer('events', [`${CLOUD}/database/`, `${CLOUD}/event-loop/`]),
  cloudLayer('jobs', [
    `${CLOUD}/database/`,
    `${CLOUD}/events/`,
    `${CLOUD}/disk/`,
    `${CLOUD}/blob/`,
    `${CLOUD}/media/`,
  ]),
  cloudLayer('http-server', [`${CLOUD}/database/`, `${CLOUD}/disk/`, `${CLOUD}/event-loop/`]),
  cloudLayer('alerts', [
    `${CLOUD}/database/`,
    `${CLOUD}/event-loop/`,
    `${CLOUD}/http-server/`,
    `${CLOUD}/mail/`,
  ]),
  cloudLayer('rollouts', [`${CLOUD}/database/`, `${CLOUD}/event-loop/`, `${CLOUD}/http-server/`]),
  cloudLayer('people', [`${CLOUD}/database/`, `${CLOUD}/program/`]),
  cloudLayer('cdn', [`${CLOUD}/blob/`, `${CLOUD}/http-server/`]),
  cloudLayer('gateway', [`${CLOUD}/database/`, `${CLOUD}/event-loop/`, `${CLOUD}/http-server/`]),
  cloudLayer('http', [
    `${CLOUD}/http-server/`,
    `${CLOUD}/database/`,
    `${CLOUD}/disk/`,
    `${CLOUD}/event-loop/`,
    `${CLOUD}/events/`,
    `${CLOUD}/outbound/`,
    `${CLOUD}/blob/`,
    `${CLOUD}/media/`,
    `${CLOUD}/people/`,
    `${CLOUD}/program/`,
    `${CLOUD}/rollouts/`,
    `${CLOUD}/webhooks/`,
    `${CLOUD}/alerts/`,
  ]),
  { path: `${CLOUD}/`, mayImport: ['packages/protocol/', 'packages/schedule/'], packages: 'any' },
];
/** Files directly in the cloud's `src` and its `config/` compose the rest, so they may import all of it. */
const CLOUD_ROOT: readonly string[] = [`${CLOUD}/`];

const WORKSPACES: Record<string, string> = {
  '@placard/protocol': 'packages/protocol/',
  '@placard/schedule': 'packages/schedule/',
  '@placard/client': 'packages/client/',
  '@placard/cli': 'packages/cli/',
  '@placard/cloud': `${CLOUD}/`,
};

const layerOf = (file: string): Layer | undefined =>
  LAYERS.filter((layer) => file.startsWith(layer.path)).toSorted((a, b) => b.path.length - a.path.length)[0];

/** Every rule that a file breaks, as sentences. */
function violations(file: string, source: string): string[] {
  const layer = layerOf(file);
  if (!layer) {
    return [`${file} belongs to no layer`];
  }
  const { imports, ambient } = scanSource(file, source);
  const found = layer.pure ? ambient.map((use) => `${file} uses ${use}; it must be passed in`) : [];
  for (const specifier of imports) {
    const problem = importProblem(file, layer, specifier);
    if (problem) {
      found.push(`${file} imports ${specifier}: ${problem}`);
    }
  }
  return found;
}

function importProblem(file: string, layer: Layer, specifier: string): string | null {
  if (specifier.startsWith('.')) {
    const target = normalize(join(dirname(file), specifier))
      .split(sep)
      .join('/');
    if (packageOf(target) !== packageOf(file)) {
      const allowed =
        layer.mayImport.some((path) => target.startsWith(path)) &&
        (packageOf(target) === 'src' || packageOf(target) === 'renderer');
      return allowed ? null : 'packages are imported by name, never by a path';
    }
    return layerProblem(file, layer, target);
  }
  const workspace = Object.keys(WORKSPACES).find(
    (name) => specifier === name || specifier.startsWith(`${name}/`),
  );
  if (workspace) {
    return layerProblem(file, layer, WORKSPACES[workspace] ?? '');
  }
  const isNode = specifier.startsWith('node:') || builtinModules.includes(specifier);
  if (specifier === 'electron') {
    return file.startsWith('src/shells/electron/') ? null : 'only the Electron shell may import electron';
  }
  if (layer.packages === 'any') {
    return null;
  }
  const name = isNode
    ? 'node:'
    : specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/');
  return layer.packages.includes(name) ? null : `${layer.path} may not import this package`;
}

function layerProblem(file: string, layer: Layer, target: string): string | null {
  const targetLayer = layerOf(target.endsWith('/') ? `${target}index.ts` : target);
  if (!targetLayer) {
    return 'it belongs to no layer';
  }
  if (targetLayer.path === layer.path) {
    const part = (path: string) => path.slice(layer.path.length).split('/')[0];
    return layer.isolatesSubfolders && part(file) !== part(target)
      ? `the parts of ${layer.path} may not import each other`
      : null;
  }
  if (CLOUD_ROOT.includes(layer.path) && target.startsWith(CLOUD)) {
    return null;
  }
  return layer.mayImport.some((path) => target.startsWith(path) || targetLayer.path === path)
    ? null
    : `${layer.path} may not import ${targetLayer.path}`;
}

/** The folder that is published or bundled as one: a workspace package, the renderer, or the player's `src`. */
const packageOf = (file: string): string =>
  file.startsWith('packages/') ? file.split('/').slice(0, 2).join('/') : (file.split('/')[0] ?? '');

const ALL_FILES = sourceFiles();
const FILES = ALL_FILES.filter(
  (file) => /^(src|renderer|packages\/\w+\/(src|pages))\//.test(file) && !/\.(test|config)\.tsx?$/.test(file),
);
const importsOf = (file: string) => scanSource(file, readFileSync(file, 'utf8')).imports;

describe('the layers', () => {
  test('there are files to look at in every part', () => {
    for (const part of [
      'packages/protocol/',
      'packages/schedule/',
      'packages/client/',
      `${CONSOLE}/`,
      `${CLOUD}/`,
      'src/core/',
      'renderer/',
    ]) {
      expect(
        FILES.some((file) => file.startsWith(part)),
        part,
      ).toBe(true);
    }
  });

  test('every file imports only downwards, and the pure layers are pure', () => {
    expect(FILES.flatMap((file) => violations(file, readFileSync(file, 'utf8')))).toEqual([]);
  });
});

test('the simulated devices know the cloud only by its wire', () => {
  const files = ALL_FILES.filter((file) => file.startsWith('test/simulate/') && !file.endsWith('.test.ts'));
  expect(files.length).toBeGreaterThan(0);
  const imports = files.flatMap((file) => importsOf(file).map((specifier) => `${file} imports ${specifier}`));
  expect(imports.filter((each) => /imports (@placard\/cloud|.*\bpackages\/)/.test(each))).toEqual([]);
});

/** A longer file has more than one reason to exist. */
const MAX_LINES = 350;

test('files of the program and its scripts have at most 350 lines', () => {
  const files = ALL_FILES.filter((file) => !/\.(test|generated)\.ts$|(^|\/)test\//.test(file));
  const tooLong = files.filter((file) => readFileSync(file, 'utf8').split('\n').length > MAX_LINES + 1);
  expect(tooLong).toEqual([]);
});

describe('the rules are enforced', () => {
  test.each([
    ['src/core/x.ts', `import { readFile } from 'node:fs/promises';`],
    ['src/core/x.ts', `import { z } from 'zod';`],
    ['src/core/x.ts', `import { run } from '../runtime/x.ts';`],
    ['src/core/x.ts', `export const now = () => Date.now();`],
    ['src/core/x.ts', `export const now = () => new Date();`],
    ['src/core/x.ts', `setTimeout(() => {}, 1);`],
    ['packages/schedule/src/x.ts', `export const dice = Math.random();`],
    ['packages/client/src/x.ts', `import type { Meta } from '@placard/protocol/api';`],
    ['packages/client/src/x.ts', `import { readFile } from 'node:fs/promises';`],
    ['packages/cli/src/x.ts', `import { operations } from '@placard/protocol/api';`],
    ['packages/schedule/src/x.ts', `import { faults } from '@placard/protocol';`],
    ['packages/protocol/src/x.ts', `export * from '../../schedule/src/index.ts';`],
    ['src/runtime/x.ts', `import { open } from '../adapters/sqlite/x.ts';`],
    ['src/runtime/x.ts', `import { app } from '../shells/x.ts';`],
    ['src/adapters/machine/x.ts', `import { x } from '../clock/x.ts';`],
    ['src/adapters/files/x.ts', `import { x } from '../clock/x.ts';`],
    ['src/stage-link/x.ts', `import type { PlayerDatabase } from '../core/ports.ts';`],
    ['src/shells/chromium/x.ts', `import { app } from 'electron';`],
    ['src/core/x.ts', `export const load = () => import('electron');`],
    [`${CONSOLE}/alerts/x.ts`, `import { titleOf } from '../rollouts/words.ts';`],
    [`${CONSOLE}/device-filter/x.ts`, `import { titleOf } from '../rollouts/words.ts';`],
    [`${CONSOLE}/playlists/x.ts`, `import { createStage } from '../../../../renderer/stage/stage.ts';`],
    [`${CONSOLE}/stage-preview/x.ts`, `import { lockDown } from '../../../../renderer/lockdown.ts';`],
    ['renderer/x.ts', `import { serve } from '../src/stage-link/server.ts';`],
    [`${CLOUD}/domain/x.ts`, `import { sql } from 'kysely';`],
    [`${CLOUD}/domain/x.ts`, `import { devices } from '../database/devices.ts';`],
    [`${CLOUD}/database/x.ts`, `import { route } from '../http/x.ts';`],
    [`${CLOUD}/gateway/x.ts`, `import { route } from '../http/x.ts';`],
    [`${CLOUD}/http/x.ts`, `import { presence } from '../gateway/x.ts';`],
    [`${CLOUD}/http-server/x.ts`, `import { presence } from '../gateway/x.ts';`],
    [`${CLOUD}/rollouts/x.ts`, `import { rolloutRoutes } from '../http/rollouts/rollouts.ts';`],
    [`${CLOUD}/disk/x.ts`, `import { devices } from '../database/devices.ts';`],
    ['src/somewhere/x.ts', `export const x = 1;`],
  ])('%s must not contain: %s', (file, source) => {
    expect(violations(file, source)).toHaveLength(1);
  });

  test.each([
    [
      'src/core/x.ts',
      `import { makeId } from '@placard/protocol'; export const at = (ms: number) => new Date(ms);`,
    ],
    ['src/runtime/main.ts', `import { open } from '../adapters/sqlite/x.ts';`],
    ['src/shells/electron/x.ts', `import { app } from 'electron';`],
    ['renderer/x.ts', `import type { ToStageMessage } from '@placard/protocol/stage';`],
    ['src/core/x.ts', `export const x = { fetch: 1 }; export const y = x.fetch;`],
    [`${CONSOLE}/stage-preview/x.ts`, `import { createStage } from '../../../../renderer/stage/stage.ts';`],
    [`${CLOUD}/main.ts`, `import { open } from './database/open-database.ts';`],
    [`${CLOUD}/http/devices/x.ts`, `import type { CloudDatabase } from '../../database/x.ts';`],
  ])('%s may hold: %s', (file, source) => {
    expect(violations(file, source)).toEqual([]);
  });
});
