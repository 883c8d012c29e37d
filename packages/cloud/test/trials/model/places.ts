import { operations } from '@placard/protocol/api';
import * as fc from 'fast-check';
import { must } from '../support/breach.ts';
import { maybe, nameVerdict, nullable, ref, resolveRef, spoil, tagList, text, worst } from './inputs.ts';
import type { Ref } from './inputs.ts';
import type { Model } from './model.ts';
import { attempt, step } from './world.ts';

const storeInput = fc.record({
  name: text(),
  city: maybe(nullable(fc.constantFrom('Bremen', 'Łódź', ''))),
  tags: maybe(tagList()),
  spoil: spoil(),
});

const unique = (list: readonly string[]) => [...new Set(list)];

export const storeSteps = [
  step({
    name: 'createStore',
    input: storeInput,
    async run(world, { spoil, ...body }) {
      const made = await attempt(world, operations.createStore, {
        body,
        spoil,
        verdict: nameVerdict(body.name),
      });
      if (!made) return;
      must(made.name === body.name.trim() && made.device_count === 0, 'the store is not as sent', {
        body,
        made,
      });
      world.model.stores.set(made.id, { name: made.name, city: made.city, tags: unique(body.tags ?? []) });
    },
  }),
  step({
    name: 'updateStore',
    input: fc.record({
      ref: ref('stores'),
      name: maybe(text()),
      city: maybe(nullable(fc.constant('Bremen'))),
      tags: maybe(tagList()),
      spoil: spoil(),
    }),
    async run(world, { ref, spoil, ...body }) {
      const { id, live } = resolveRef(world.model, ref);
      const changed = await attempt(world, operations.updateStore, {
        params: { id },
        body,
        spoil,
        verdict: body.name === undefined ? 'good' : nameVerdict(body.name),
        bad: [!live && 'STORE_NOT_FOUND'],
      });
      const held = world.model.stores.get(id);
      if (!changed || !held) return;
      if (body.name !== undefined) held.name = body.name.trim();
      if (body.city !== undefined) held.city = body.city;
      if (body.tags !== undefined) held.tags = unique(body.tags);
    },
  }),
  step({
    name: 'deleteStore',
    input: ref('stores'),
    async run(world, input: Ref) {
      const { id, live } = resolveRef(world.model, input);
      const gone = await attempt(world, operations.deleteStore, {
        params: { id },
        bad: [!live && 'STORE_NOT_FOUND'],
      });
      if (!gone) return;
      must(gone.id === id, 'another id came back', gone);
      world.model.stores.delete(id);
      world.model.dead.push(id);
      for (const device of world.model.devices.values()) if (device.store === id) device.store = null;
    },
  }),
];

function within(model: Model, folder: string | null, ancestor: string): boolean {
  for (let at = folder; at !== null; at = model.folders.get(at)?.parent ?? null)
    if (at === ancestor) return true;
  return false;
}

const parentOf = (model: Model, input: Ref | null | undefined) =>
  input ? resolveRef(model, input) : { id: input, live: true };

export const folderSteps = [
  step({
    name: 'createFolder',
    input: fc.record({ name: text(), parent: maybe(nullable(ref('folders'))), spoil: spoil() }),
    async run(world, { name, parent, spoil }) {
      const { id, live } = parentOf(world.model, parent);
      const made = await attempt(world, operations.createFolder, {
        body: { name, ...(id === undefined ? {} : { parent_id: id }) },
        spoil,
        verdict: nameVerdict(name),
        bad: [!live && 'FOLDER_NOT_FOUND'],
      });
      if (made) world.model.folders.set(made.id, { name: name.trim(), parent: id ?? null });
    },
  }),
  step({
    name: 'updateFolder',
    input: fc.record({
      ref: ref('folders'),
      name: maybe(text()),
      parent: maybe(nullable(ref('folders'))),
      spoil: spoil(),
    }),
    async run(world, { ref, name, parent, spoil }) {
      const { model } = world;
      const own = resolveRef(model, ref);
      const above = parentOf(model, parent);
      const circle =
        own.live && typeof above.id === 'string' && above.live && within(model, above.id, own.id);
      const changed = await attempt(world, operations.updateFolder, {
        params: { id: own.id },
        body: { name, ...(above.id === undefined ? {} : { parent_id: above.id }) },
        spoil,
        verdict: name === undefined ? 'good' : nameVerdict(name),
        bad: [(!own.live || !above.live) && 'FOLDER_NOT_FOUND', circle && 'CONFLICT'],
      });
      const held = model.folders.get(own.id);
      if (!changed || !held) return;
      if (name !== undefined) held.name = name.trim();
      if (above.id !== undefined) held.parent = above.id;
    },
  }),
  step({
    name: 'deleteFolder',
    input: ref('folders'),
    async run(world, input: Ref) {
      const { model } = world;
      const { id, live } = resolveRef(model, input);
      const holds =
        [...model.folders.values()].some((one) => one.parent === id) ||
        [...model.assets.values()].some((one) => one.folder === id);
      const gone = await attempt(world, operations.deleteFolder, {
        params: { id },
        bad: [!live && 'FOLDER_NOT_FOUND', live && holds && 'FOLDER_NOT_EMPTY'],
      });
      if (!gone) return;
      model.folders.delete(id);
      model.dead.push(id);
    },
  }),
];

export const organizationSteps = [
  step({
    name: 'updateOrganization',
    input: fc.record({
      name: maybe(text()),
      timezone: maybe(
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Mars/Olympus', '', '+01:00'),
      ),
      spoil: spoil(),
    }),
    async run(world, { spoil, ...body }) {
      const wrong = body.timezone !== undefined && !/^(UTC|Europe|America)/.test(body.timezone);
      const changed = await attempt(world, operations.updateOrganization, {
        body,
        spoil,
        verdict: worst(wrong ? 'bad' : 'good', body.name === undefined ? 'good' : nameVerdict(body.name)),
      });
      if (changed && body.timezone !== undefined) world.model.timezone = body.timezone;
    },
  }),
  step({
    name: 'createAndRevokeKey',
    input: fc.record({
      name: text(),
      scope: fc.constantFrom('Read', 'Write', 'Admin', 'Root'),
      spoil: spoil(),
    }),
    async run(world, { name, scope, spoil }) {
      const made = await attempt(world, operations.createApiKey, {
        body: { name, scope },
        spoil,
        verdict: worst(nameVerdict(name), scope === 'Root' ? 'bad' : 'good'),
      });
      if (!made) return;
      const { key } = made;
      await attempt(world, operations.getOrganization, { key });
      await attempt(world, operations.createStore, {
        key,
        body: { name: '' },
        bad: scope === 'Read' ? ['INSUFFICIENT_SCOPE'] : ['VALIDATION_ERROR'],
      });
      await attempt(world, operations.listApiKeys, { key, bad: [scope !== 'Admin' && 'INSUFFICIENT_SCOPE'] });
      await attempt(world, operations.deleteApiKey, { params: { id: made.id } });
      await attempt(world, operations.getOrganization, { key, bad: ['UNAUTHORIZED'] });
      await attempt(world, operations.deleteApiKey, { params: { id: made.id }, bad: ['KEY_NOT_FOUND'] });
    },
  }),
];
