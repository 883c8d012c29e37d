import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLockedPackages } from '../../scripts/dependencies/locked-packages.ts';
import { findProductionPackages } from '../../scripts/dependencies/production-packages.ts';
import { writeSboms } from '../../scripts/dependencies/write-sboms.ts';
import { tempDir } from '../support/temp-dir.ts';

const REPOSITORY = join(import.meta.dirname, '../..');

test('the SBOMs list exactly the runtime dependencies of player and cloud', { timeout: 60_000 }, () => {
  const folder = tempDir();
  writeSboms(REPOSITORY, folder);
  const [player, cloud] = ['player', 'cloud'].map((name) => {
    const bill = JSON.parse(readFileSync(join(folder, `placard-${name}.cdx.json`), 'utf8'));
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: expect.stringMatching(/^1\.\d$/) });
    return {
      top: bill.metadata.component.name,
      names: new Set<string>(bill.components.map((each: { name: string }) => each.name)),
    };
  });
  expect([player?.top, cloud?.top]).toEqual(['placard', '@placard/cloud']);
  for (const place of findProductionPackages(REPOSITORY)) {
    expect(player?.names, place).toContain(place.slice(place.lastIndexOf('node_modules/') + 13));
  }
  for (const name of ['kysely', 'fastify', 'better-sqlite3', 'sharp', 'zod']) {
    expect(cloud?.names).toContain(name);
  }
  for (const name of ['kysely', 'vitest', 'electron-builder']) {
    expect(player?.names).not.toContain(name);
  }
  const locked = new Set(readLockedPackages(REPOSITORY).map(({ name }) => name));
  const ours = /^@placard\//;
  for (const name of [...(player?.names ?? []), ...(cloud?.names ?? [])]) {
    expect(ours.test(name) || locked.has(name), name).toBe(true);
  }
});
