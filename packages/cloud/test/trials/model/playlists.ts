import { operations } from '@placard/protocol/api';
import * as fc from 'fast-check';
import { must } from '../support/breach.ts';
import { maybe, nameVerdict, ref, resolveRef, spoil, target, text } from './inputs.ts';
import type { Ref } from './inputs.ts';
import { deployTo, dropPlaylist } from './model.ts';
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
  duration: maybe(seconds),
  weight: fc.option(weights, { nil: undefined, freq: 6 }),
});
type ItemInput = { ref: Ref; duration: number | undefined; weight: number | undefined };
const modes = fc.constantFrom('sequential' as const, 'shuffle' as const, 'weighted' as const);

const wholeIn = (value: number | undefined, max: number) =>
  value === undefined || (Number.isInteger(value) && value >= 1 && value <= max);

function resolveItems(world: World, inputs: readonly ItemInput[], weighted: boolean) {
  let wrong = false;
  let missing = false;
  const items = inputs.map(({ ref, duration, weight }) => {
    const { id, live } = resolveRef(world.model, ref);
    missing ||= !live;
    wrong ||= !wholeIn(duration, 86_400) || !wholeIn(weight, 1000) || (weighted && weight === undefined);
    return { content_id: id, duration, weight };
  });
  return { items, verdict: wrong ? ('bad' as const) : ('good' as const), missing };
}

/** Takes over the items of an answer after holding them against what was sent. */
function taken(
  made: { items: { id: string; content_id: string; duration: number | null; weight: number | null }[] },
  sent: readonly { content_id: string; duration?: number | undefined; weight?: number | undefined }[],
): ItemModel[] {
  must(made.items.length === sent.length, 'another number of items came back', { made, sent });
  return made.items.map((item, index) => {
    const wanted = sent[index]!;
    must(
      item.content_id === wanted.content_id &&
        item.duration === (wanted.duration ?? 10) &&
        (item.weight === (wanted.weight ?? null) || item.weight === null),
      'an item is not as sent',
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
      spoil: spoil(),
    }),
    async run(world, { name, mode, items: inputs, spoil }) {
      const { items, verdict, missing } = resolveItems(world, inputs, mode === 'weighted');
      const made = await attempt(world, operations.createPlaylist, {
        body: { name, mode, items },
        spoil,
        verdict: nameVerdict(name) === 'good' ? verdict : verdict === 'bad' ? 'bad' : nameVerdict(name),
        bad: [missing && 'CONTENT_NOT_FOUND'],
      });
      if (made) world.model.playlists.set(made.id, { name: name.trim(), mode, items: taken(made, items) });
    },
  }),
  step({
    name: 'updatePlaylist',
    input: fc.record({
      ref: ref('playlists'),
      name: maybe(text()),
      mode: maybe(modes),
      items: maybe(fc.array(itemInput, { maxLength: 4 })),
      spoil: spoil(),
    }),
    async run(world, { ref, name, mode, items: inputs, spoil }) {
      const { id, live } = resolveRef(world.model, ref);
      const held: PlaylistModel | undefined = world.model.playlists.get(id);
      const weighted = (mode ?? held?.mode) === 'weighted';
      const next = inputs ? resolveItems(world, inputs, weighted) : null;
      const unweighted = weighted && !next && (held?.items.some((item) => item.weight === null) ?? false);
      const changed = await attempt(world, operations.updatePlaylist, {
        params: { id },
        body: { name, mode, items: next?.items },
        spoil,
        verdict:
          next?.verdict === 'bad' || unweighted ? 'bad' : name === undefined ? 'good' : nameVerdict(name),
        bad: [!live && 'PLAYLIST_NOT_FOUND', next?.missing === true && 'CONTENT_NOT_FOUND'],
      });
      if (!changed || !held) return;
      if (name !== undefined) held.name = name.trim();
      if (mode !== undefined) held.mode = mode;
      if (next) held.items = taken(changed, next.items);
    },
  }),
  step({
    name: 'addItem',
    input: fc.record({ ref: ref('playlists'), item: itemInput, position: maybe(fc.nat(6)), spoil: spoil() }),
    async run(world, { ref, item, position, spoil }) {
      const { id, live } = resolveRef(world.model, ref);
      const held = world.model.playlists.get(id);
      const { items, verdict, missing } = resolveItems(world, [item], held?.mode === 'weighted');
      const changed = await attempt(world, operations.addPlaylistItem, {
        params: { id },
        body: { ...items[0], position },
        spoil,
        verdict,
        bad: [!live && 'PLAYLIST_NOT_FOUND', missing && 'CONTENT_NOT_FOUND'],
        // Past the end: the documents do not say.
        maybe: [(position ?? 0) > (held?.items.length ?? 0) && 'VALIDATION_ERROR'],
      });
      if (!changed || !held) return;
      const at = Math.min(position ?? held.items.length, held.items.length);
      const [added] = taken({ items: changed.items.slice(at, at + 1) }, items);
      held.items = held.items.toSpliced(at, 0, added!);
    },
  }),
  step({
    name: 'removeItem',
    input: fc.record({ ref: ref('playlists'), n: fc.nat(8) }),
    async run(world, { ref, n }) {
      const { id, live } = resolveRef(world.model, ref);
      const held = world.model.playlists.get(id);
      const item = held?.items[n];
      const gone = await attempt(world, operations.removePlaylistItem, {
        params: { id, item_id: item?.id ?? 'item_0000000000zzzzzzzzzzzzzzzz' },
        bad: [!live && 'PLAYLIST_NOT_FOUND', live && !item && 'ITEM_NOT_FOUND'],
      });
      if (gone && held) held.items = held.items.filter((one) => one !== item);
    },
  }),
  step({
    name: 'deploy',
    input: fc.record({
      ref: ref('playlists'),
      targets: fc.array(target(), { maxLength: 3 }),
      spoil: spoil(),
    }),
    async run(world, { ref, targets: inputs, spoil }) {
      const { id, live } = resolveRef(world.model, ref);
      const { targets, bad } = resolveTargets(world, inputs);
      const made = await attempt(world, operations.deployPlaylist, {
        params: { id },
        body: { targets },
        spoil,
        verdict: inputs.length === 0 ? 'bad' : 'good',
        bad: [!live && 'PLAYLIST_NOT_FOUND', ...bad],
      });
      if (!made) return;
      deployTo(world.model, id, targets);
      const empty = world.model.playlists.get(id)?.items.length === 0;
      must(
        made.warnings.some((one) => one.code === 'PLAYLIST_HAS_NO_PLAYABLE_CONTENT') === empty,
        'a warning too many or too few',
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
      const gone = await attempt(world, operations.deletePlaylist, {
        params: { id },
        bad: [!live && 'PLAYLIST_NOT_FOUND', used && 'PLAYLIST_IN_USE'],
      });
      if (gone) dropPlaylist(model, id);
    },
  }),
];
