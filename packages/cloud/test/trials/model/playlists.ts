import { operations } from '@placard/protocol/api';
import * as fc from 'fast-check';
import { assert } from '../support/contract-violation.ts';
import { optional, nameValidity, ref, resolveRef, bodyCorruption, targetInput, text } from './inputs.ts';
import type { Ref } from './inputs.ts';
import { deployTo, removePlaylist } from './model.ts';
import type { ItemModel, PlaylistModel } from './model.ts';
import { attempt, resolveTargets, step } from './world.ts';
import type { World } from './world.ts';

const seconds = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: 1, max: 86_400 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, -1, 86_401, 1.5) },
);
const weights = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: 1, max: 1000 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1001) },
);
const itemInput = fc.record({
  ref: ref('assets'),
  duration: optional(seconds),
  weight: fc.option(weights, { nil: undefined, freq: 6 }),
});
type ItemInput = { ref: Ref; duration: number | undefined; weight: number | undefined };
const modes = fc.constantFrom('sequential' as const, 'shuffle' as const, 'weighted' as const);

const isIntegerUpTo = (value: number | undefined, max: number) =>
  value === undefined || (Number.isInteger(value) && value >= 1 && value <= max);

function resolveItems(world: World, inputs: readonly ItemInput[], weighted: boolean) {
  let wrong = false;
  let missing = false;
  const items = inputs.map(({ ref, duration, weight }) => {
    const { id, live } = resolveRef(world.model, ref);
    missing ||= !live;
    wrong ||=
      !isIntegerUpTo(duration, 86_400) || !isIntegerUpTo(weight, 1000) || (weighted && weight === undefined);
    return { content_id: id, duration, weight };
  });
  return { items, validity: wrong ? ('invalid' as const) : ('valid' as const), missing };
}

/** Stores the items of a response in the model after comparing them with the request. */
function checkItems(
  made: { items: { id: string; content_id: string; duration: number | null; weight: number | null }[] },
  sent: readonly { content_id: string; duration?: number | undefined; weight?: number | undefined }[],
): ItemModel[] {
  assert(made.items.length === sent.length, 'the response has a different number of items', { made, sent });
  return made.items.map((item, index) => {
    const wanted = sent[index]!;
    assert(
      item.content_id === wanted.content_id &&
        item.duration === (wanted.duration ?? 10) &&
        (item.weight === (wanted.weight ?? null) || item.weight === null),
      'an item differs from the request',
      { item, wanted },
    );
    return { id: item.id, content: item.content_id, duration: item.duration, weight: item.weight };
  });
}

export const playlistSteps = [
  step({
    name: 'createPlaylist',
    input: fc.record({
      name: text(),
      mode: modes,
      items: fc.array(itemInput, { maxLength: 5 }),
      corruption: bodyCorruption(),
    }),
    async run(world, { name, mode, items: inputs, corruption }) {
      const { items, validity: verdict, missing } = resolveItems(world, inputs, mode === 'weighted');
      const made = await attempt(world, operations.createPlaylist, {
        body: { name, mode, items },
        corruption,
        validity:
          nameValidity(name) === 'valid' ? verdict : verdict === 'invalid' ? 'invalid' : nameValidity(name),
        expectedErrors: [missing && 'CONTENT_NOT_FOUND'],
      });
      if (made) {
        world.model.playlists.set(made.id, { name: name.trim(), mode, items: checkItems(made, items) });
      }
    },
  }),
  step({
    name: 'updatePlaylist',
    input: fc.record({
      ref: ref('playlists'),
      name: optional(text()),
      mode: optional(modes),
      items: optional(fc.array(itemInput, { maxLength: 4 })),
      corruption: bodyCorruption(),
    }),
    async run(world, { ref, name, mode, items: inputs, corruption }) {
      const { id, live } = resolveRef(world.model, ref);
      const modelEntry: PlaylistModel | undefined = world.model.playlists.get(id);
      const weighted = (mode ?? modelEntry?.mode) === 'weighted';
      const next = inputs ? resolveItems(world, inputs, weighted) : null;
      const unweighted =
        weighted && !next && (modelEntry?.items.some((item) => item.weight === null) ?? false);
      const changed = await attempt(world, operations.updatePlaylist, {
        params: { id },
        body: { name, mode, items: next?.items },
        corruption,
        validity:
          next?.validity === 'invalid' || unweighted
            ? 'invalid'
            : name === undefined
              ? 'valid'
              : nameValidity(name),
        expectedErrors: [!live && 'PLAYLIST_NOT_FOUND', next?.missing === true && 'CONTENT_NOT_FOUND'],
      });
      if (!changed || !modelEntry) {
        return;
      }
      if (name !== undefined) {
        modelEntry.name = name.trim();
      }
      if (mode !== undefined) {
        modelEntry.mode = mode;
      }
      if (next) {
        modelEntry.items = checkItems(changed, next.items);
      }
    },
  }),
  step({
    name: 'addItem',
    input: fc.record({
      ref: ref('playlists'),
      item: itemInput,
      position: optional(fc.nat(6)),
      corruption: bodyCorruption(),
    }),
    async run(world, { ref, item, position, corruption }) {
      const { id, live } = resolveRef(world.model, ref);
      const modelEntry = world.model.playlists.get(id);
      const { items, validity, missing } = resolveItems(world, [item], modelEntry?.mode === 'weighted');
      const changed = await attempt(world, operations.addPlaylistItem, {
        params: { id },
        body: { ...items[0], position },
        corruption,
        validity,
        expectedErrors: [!live && 'PLAYLIST_NOT_FOUND', missing && 'CONTENT_NOT_FOUND'],
        // A position past the end is not documented.
        possibleErrors: [(position ?? 0) > (modelEntry?.items.length ?? 0) && 'VALIDATION_ERROR'],
      });
      if (!changed || !modelEntry) {
        return;
      }
      const at = Math.min(position ?? modelEntry.items.length, modelEntry.items.length);
      const [added] = checkItems({ items: changed.items.slice(at, at + 1) }, items);
      modelEntry.items = modelEntry.items.toSpliced(at, 0, added!);
    },
  }),
  step({
    name: 'removeItem',
    input: fc.record({ ref: ref('playlists'), n: fc.nat(8) }),
    async run(world, { ref, n }) {
      const { id, live } = resolveRef(world.model, ref);
      const modelEntry = world.model.playlists.get(id);
      const item = modelEntry?.items[n];
      const deleted = await attempt(world, operations.removePlaylistItem, {
        params: { id, item_id: item?.id ?? 'item_0000000000zzzzzzzzzzzzzzzz' },
        expectedErrors: [!live && 'PLAYLIST_NOT_FOUND', live && !item && 'ITEM_NOT_FOUND'],
      });
      if (deleted && modelEntry) {
        modelEntry.items = modelEntry.items.filter((one) => one !== item);
      }
    },
  }),
  step({
    name: 'deploy',
    input: fc.record({
      ref: ref('playlists'),
      targets: fc.array(targetInput(), { maxLength: 3 }),
      corruption: bodyCorruption(),
    }),
    async run(world, { ref, targets: inputs, corruption }) {
      const { id, live } = resolveRef(world.model, ref);
      const { targets, bad } = resolveTargets(world, inputs);
      const made = await attempt(world, operations.deployPlaylist, {
        params: { id },
        body: { targets },
        corruption,
        validity: inputs.length === 0 ? 'invalid' : 'valid',
        expectedErrors: [!live && 'PLAYLIST_NOT_FOUND', ...bad],
      });
      if (!made) {
        return;
      }
      deployTo(world.model, id, targets);
      const empty = world.model.playlists.get(id)?.items.length === 0;
      assert(
        made.warnings.some((one) => one.code === 'PLAYLIST_HAS_NO_PLAYABLE_CONTENT') === empty,
        'a wrong number of warnings',
        made,
      );
    },
  }),
  step({
    name: 'deletePlaylist',
    input: ref('playlists'),
    async run(world, input: Ref) {
      const { model } = world;
      const { id, live } = resolveRef(model, input);
      const used = [...model.schedules.values()].some((one) =>
        one.rules.some((rule) => rule.playlist_id === id),
      );
      const deleted = await attempt(world, operations.deletePlaylist, {
        params: { id },
        expectedErrors: [!live && 'PLAYLIST_NOT_FOUND', used && 'PLAYLIST_IN_USE'],
      });
      if (deleted) {
        removePlaylist(model, id);
      }
    },
  }),
];
