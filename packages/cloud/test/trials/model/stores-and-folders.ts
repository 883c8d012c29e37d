import { operations } from '@placard/protocol/api';
import * as fc from 'fast-check';
import { assert } from '../support/contract-violation.ts';
import {
  optional,
  nameValidity,
  nullable,
  ref,
  resolveRef,
  bodyCorruption,
  tagList,
  text,
  worstValidity,
} from './inputs.ts';
import type { Ref } from './inputs.ts';
import type { Model } from './model.ts';
import { attempt, step } from './world.ts';

const storeInput = fc.record({
  name: text(),
  city: optional(nullable(fc.constantFrom('Bremen', 'Łódź', ''))),
  tags: optional(tagList()),
  corruption: bodyCorruption(),
});

const unique = (list: readonly string[]) => [...new Set(list)];

export const storeSteps = [
  step({
    name: 'createStore',
    input: storeInput,
    async run(world, { corruption, ...body }) {
      const made = await attempt(world, operations.createStore, {
        body,
        corruption,
        validity: nameValidity(body.name),
      });
      if (!made) {
        return;
      }
      assert(
        made.name === body.name.trim() && made.device_count === 0,
        'the store differs from the request',
        {
          body,
          made,
        },
      );
      world.model.stores.set(made.id, { name: made.name, city: made.city, tags: unique(body.tags ?? []) });
    },
  }),
  step({
    name: 'updateStore',
    input: fc.record({
      ref: ref('stores'),
      name: optional(text()),
      city: optional(nullable(fc.constant('Bremen'))),
      tags: optional(tagList()),
      corruption: bodyCorruption(),
    }),
    async run(world, { ref, corruption, ...body }) {
      const { id, live } = resolveRef(world.model, ref);
      const changed = await attempt(world, operations.updateStore, {
        params: { id },
        body,
        corruption,
        validity: body.name === undefined ? 'valid' : nameValidity(body.name),
        expectedErrors: [!live && 'STORE_NOT_FOUND'],
      });
      const modelEntry = world.model.stores.get(id);
      if (!changed || !modelEntry) {
        return;
      }
      if (body.name !== undefined) {
        modelEntry.name = body.name.trim();
      }
      if (body.city !== undefined) {
        modelEntry.city = body.city;
      }
      if (body.tags !== undefined) {
        modelEntry.tags = unique(body.tags);
      }
    },
  }),
  step({
    name: 'deleteStore',
    input: ref('stores'),
    async run(world, input: Ref) {
      const { id, live } = resolveRef(world.model, input);
      const deleted = await attempt(world, operations.deleteStore, {
        params: { id },
        expectedErrors: [!live && 'STORE_NOT_FOUND'],
      });
      if (!deleted) {
        return;
      }
      assert(deleted.id === id, 'the response has another id', deleted);
      world.model.stores.delete(id);
      world.model.deletedIds.push(id);
      for (const device of world.model.devices.values()) {
        if (device.store === id) {
          device.store = null;
        }
      }
    },
  }),
];

function isWithinFolder(model: Model, folder: string | null, ancestor: string): boolean {
  for (let at = folder; at !== null; at = model.folders.get(at)?.parent ?? null) {
    if (at === ancestor) {
      return true;
    }
  }
  return false;
}

const resolveParent = (model: Model, input: Ref | null | undefined) =>
  input ? resolveRef(model, input) : { id: input, live: true };

export const folderSteps = [
  step({
    name: 'createFolder',
    input: fc.record({
      name: text(),
      parent: optional(nullable(ref('folders'))),
      corruption: bodyCorruption(),
    }),
    async run(world, { name, parent, corruption }) {
      const { id, live } = resolveParent(world.model, parent);
      const made = await attempt(world, operations.createFolder, {
        body: { name, ...(id === undefined ? {} : { parent_id: id }) },
        corruption,
        validity: nameValidity(name),
        expectedErrors: [!live && 'FOLDER_NOT_FOUND'],
      });
      if (made) {
        world.model.folders.set(made.id, { name: name.trim(), parent: id ?? null });
      }
    },
  }),
  step({
    name: 'updateFolder',
    input: fc.record({
      ref: ref('folders'),
      name: optional(text()),
      parent: optional(nullable(ref('folders'))),
      corruption: bodyCorruption(),
    }),
    async run(world, { ref, name, parent, corruption }) {
      const { model } = world;
      const own = resolveRef(model, ref);
      const above = resolveParent(model, parent);
      const circle =
        own.live && typeof above.id === 'string' && above.live && isWithinFolder(model, above.id, own.id);
      const changed = await attempt(world, operations.updateFolder, {
        params: { id: own.id },
        body: { name, ...(above.id === undefined ? {} : { parent_id: above.id }) },
        corruption,
        validity: name === undefined ? 'valid' : nameValidity(name),
        expectedErrors: [(!own.live || !above.live) && 'FOLDER_NOT_FOUND', circle && 'CONFLICT'],
      });
      const modelEntry = model.folders.get(own.id);
      if (!changed || !modelEntry) {
        return;
      }
      if (name !== undefined) {
        modelEntry.name = name.trim();
      }
      if (above.id !== undefined) {
        modelEntry.parent = above.id;
      }
    },
  }),
  step({
    name: 'deleteFolder',
    input: ref('folders'),
    async run(world, input: Ref) {
      const { model } = world;
      const { id, live } = resolveRef(model, input);
      const isNotEmpty =
        [...model.folders.values()].some((one) => one.parent === id) ||
        [...model.assets.values()].some((one) => one.folder === id);
      const deleted = await attempt(world, operations.deleteFolder, {
        params: { id },
        expectedErrors: [!live && 'FOLDER_NOT_FOUND', live && isNotEmpty && 'FOLDER_NOT_EMPTY'],
      });
      if (!deleted) {
        return;
      }
      model.folders.delete(id);
      model.deletedIds.push(id);
    },
  }),
];

export const organizationSteps = [
  step({
    name: 'updateOrganization',
    input: fc.record({
      name: optional(text()),
      timezone: optional(
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Mars/Olympus', '', '+01:00'),
      ),
      corruption: bodyCorruption(),
    }),
    async run(world, { corruption, ...body }) {
      const wrong = body.timezone !== undefined && !/^(UTC|Europe|America)/.test(body.timezone);
      const changed = await attempt(world, operations.updateOrganization, {
        body,
        corruption,
        validity: worstValidity(
          wrong ? 'invalid' : 'valid',
          body.name === undefined ? 'valid' : nameValidity(body.name),
        ),
      });
      if (changed && body.timezone !== undefined) {
        world.model.timezone = body.timezone;
      }
    },
  }),
  step({
    name: 'createAndRevokeKey',
    input: fc.record({
      name: text(),
      scope: fc.constantFrom('Read', 'Write', 'Admin', 'Root'),
      corruption: bodyCorruption(),
    }),
    async run(world, { name, scope, corruption }) {
      const made = await attempt(world, operations.createApiKey, {
        body: { name, scope },
        corruption,
        validity: worstValidity(nameValidity(name), scope === 'Root' ? 'invalid' : 'valid'),
      });
      if (!made) {
        return;
      }
      const { key } = made;
      await attempt(world, operations.getOrganization, { key });
      await attempt(world, operations.createStore, {
        key,
        body: { name: '' },
        expectedErrors: scope === 'Read' ? ['INSUFFICIENT_SCOPE'] : ['VALIDATION_ERROR'],
      });
      await attempt(world, operations.listApiKeys, {
        key,
        expectedErrors: [scope !== 'Admin' && 'INSUFFICIENT_SCOPE'],
      });
      await attempt(world, operations.deleteApiKey, { params: { id: made.id } });
      await attempt(world, operations.getOrganization, { key, expectedErrors: ['UNAUTHORIZED'] });
      await attempt(world, operations.deleteApiKey, {
        params: { id: made.id },
        expectedErrors: ['KEY_NOT_FOUND'],
      });
    },
  }),
];
