import { createHash } from 'node:crypto';
import { operations } from '@placard/protocol/api';
import * as fc from 'fast-check';
import { must } from '../support/breach.ts';
import { noisePng } from '../support/media.ts';
import { multipart } from '../support/upload.ts';
import { maybe, nameVerdict, nullable, ref, resolveRef, spoil, tagList, text } from './inputs.ts';
import type { Ref } from './inputs.ts';
import { attempt, step } from './world.ts';

const PICTURES = [noisePng(4, 4), noisePng(9, 5), noisePng(32, 32)];
const unique = (list: readonly string[]) => [...new Set(list)];

export const contentSteps = [
  step({
    name: 'upload',
    input: fc.record({
      picture: fc.integer({ min: 0, max: PICTURES.length }),
      name: maybe(fc.constantFrom('Menu', 'Ünïcode', ' padded ')),
      tags: maybe(fc.constantFrom('counter', 'counter, window,counter', ' , ,')),
      folder: maybe(ref('folders')),
    }),
    async run(world, { picture, name, tags, folder }) {
      const { model, api } = world;
      const place = folder ? resolveRef(model, folder) : { id: undefined, live: true };
      const bytes = PICTURES[picture] ?? Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
      const fields = {
        ...(name === undefined ? {} : { name }),
        ...(tags === undefined ? {} : { tags }),
        ...(place.id === undefined ? {} : { folder_id: place.id }),
      };
      const form = multipart(fields, { fileName: 'some file.png', contentType: 'image/png', bytes });
      const answer = await api.client.send({
        method: 'POST',
        path: '/v1/content/upload',
        key: world.adminKey,
        body: form.body,
        headers: { 'content-type': form.contentType },
      });
      const bad = [
        picture === PICTURES.length && 'UNSUPPORTED_MEDIA_TYPE',
        !place.live && 'FOLDER_NOT_FOUND',
      ].filter((code) => code !== false);
      if (answer.code !== null || bad.length > 0) {
        must(
          answer.code !== null && bad.some((code) => code === answer.code),
          `upload, expected ${bad.join(' or ')}`,
          answer.text,
        );
        return;
      }
      must(answer.status === 201, 'an upload answers 201', answer.text);
      const made = operations.uploadContent.data.parse(answer.data);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      must(
        made.sha256 === sha256 &&
          made.size === bytes.length &&
          made.type === 'image' &&
          made.format === 'png',
        'the asset is not the file',
        made,
      );
      must(made.name === (name ?? 'some file.png').trim(), 'the asset has another name', made);
      const wanted = unique((tags ?? '').split(',').map((tag) => tag.trim())).filter((tag) => tag !== '');
      must(JSON.stringify(made.tags) === JSON.stringify(wanted), 'the asset has other tags', {
        made,
        wanted,
      });
      model.assets.set(made.id, {
        name: made.name,
        tags: wanted,
        folder: place.id ?? null,
        sha256,
        type: 'image',
      });
    },
  }),
  step({
    name: 'updateContent',
    input: fc.record({
      ref: ref('assets'),
      name: maybe(text()),
      tags: maybe(tagList()),
      folder: maybe(nullable(ref('folders'))),
      spoil: spoil(),
    }),
    async run(world, { ref, name, tags, folder, spoil }) {
      const { model } = world;
      const { id, live } = resolveRef(model, ref);
      const place = folder ? resolveRef(model, folder) : { id: folder, live: true };
      const changed = await attempt(world, operations.updateContent, {
        params: { id },
        body: { name, tags, folder_id: place.id },
        spoil,
        verdict: name === undefined ? 'good' : nameVerdict(name),
        bad: [!live && 'CONTENT_NOT_FOUND', !place.live && 'FOLDER_NOT_FOUND'],
      });
      const held = model.assets.get(id);
      if (!changed || !held) return;
      if (name !== undefined) held.name = name.trim();
      if (tags !== undefined) held.tags = unique(tags);
      if (place.id !== undefined) held.folder = place.id;
    },
  }),
  step({
    name: 'deleteContent',
    input: ref('assets'),
    async run(world, input: Ref) {
      const { model } = world;
      const { id, live } = resolveRef(model, input);
      const gone = await attempt(world, operations.deleteContent, {
        params: { id },
        bad: [!live && 'CONTENT_NOT_FOUND'],
      });
      if (!gone) return;
      const shownBy = [...model.playlists].filter(([, one]) => one.items.some((item) => item.content === id));
      must(
        JSON.stringify(gone.playlists.map((one) => one.id).toSorted()) ===
          JSON.stringify(shownBy.map(([playlist]) => playlist).toSorted()),
        'the answer names other playlists than those that showed it',
        { gone, shownBy },
      );
      for (const [, one] of shownBy) one.items = one.items.filter((item) => item.content !== id);
      model.assets.delete(id);
      model.dead.push(id);
    },
  }),
];
