import { createHash } from 'node:crypto';
import { operations } from '@placard/protocol/api';
import * as fc from 'fast-check';
import { assert } from '../support/contract-violation.ts';
import { randomPng } from '../support/media.ts';
import { multipart } from '../support/multipart.ts';
import {
  optional,
  nameValidity,
  nullable,
  ref,
  resolveRef,
  bodyCorruption,
  tagList,
  text,
} from './inputs.ts';
import type { Ref } from './inputs.ts';
import { attempt, step } from './world.ts';

const PICTURES = [randomPng(4, 4), randomPng(9, 5), randomPng(32, 32)];
const unique = (list: readonly string[]) => [...new Set(list)];

export const contentSteps = [
  step({
    name: 'upload',
    input: fc.record({
      picture: fc.integer({ min: 0, max: PICTURES.length }),
      name: optional(fc.constantFrom('Menu', 'Ünïcode', ' padded ')),
      tags: optional(fc.constantFrom('counter', 'counter, window,counter', ' , ,')),
      folder: optional(ref('folders')),
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
      const response = await api.client.send({
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
      if (response.code !== null || bad.length > 0) {
        assert(
          response.code !== null && bad.some((code) => code === response.code),
          `upload, expected ${bad.join(' or ')}`,
          response.text,
        );
        return;
      }
      assert(response.status === 201, 'an upload must return 201', response.text);
      const made = operations.uploadContent.data.parse(response.data);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      assert(
        made.sha256 === sha256 &&
          made.size === bytes.length &&
          made.type === 'image' &&
          made.format === 'png',
        'the asset does not match the file',
        made,
      );
      assert(made.name === (name ?? 'some file.png').trim(), 'the asset has another name', made);
      const wanted = unique((tags ?? '').split(',').map((tag) => tag.trim())).filter((tag) => tag !== '');
      assert(JSON.stringify(made.tags) === JSON.stringify(wanted), 'the asset has other tags', {
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
      name: optional(text()),
      tags: optional(tagList()),
      folder: optional(nullable(ref('folders'))),
      corruption: bodyCorruption(),
    }),
    async run(world, { ref, name, tags, folder, corruption }) {
      const { model } = world;
      const { id, live } = resolveRef(model, ref);
      const place = folder ? resolveRef(model, folder) : { id: folder, live: true };
      const changed = await attempt(world, operations.updateContent, {
        params: { id },
        body: { name, tags, folder_id: place.id },
        corruption,
        validity: name === undefined ? 'valid' : nameValidity(name),
        expectedErrors: [!live && 'CONTENT_NOT_FOUND', !place.live && 'FOLDER_NOT_FOUND'],
      });
      const modelEntry = model.assets.get(id);
      if (!changed || !modelEntry) {
        return;
      }
      if (name !== undefined) {
        modelEntry.name = name.trim();
      }
      if (tags !== undefined) {
        modelEntry.tags = unique(tags);
      }
      if (place.id !== undefined) {
        modelEntry.folder = place.id;
      }
    },
  }),
  step({
    name: 'deleteContent',
    input: ref('assets'),
    async run(world, input: Ref) {
      const { model } = world;
      const { id, live } = resolveRef(model, input);
      const deleted = await attempt(world, operations.deleteContent, {
        params: { id },
        expectedErrors: [!live && 'CONTENT_NOT_FOUND'],
      });
      if (!deleted) {
        return;
      }
      const shownBy = [...model.playlists].filter(([, one]) => one.items.some((item) => item.content === id));
      assert(
        JSON.stringify(deleted.playlists.map((one) => one.id).toSorted()) ===
          JSON.stringify(shownBy.map(([playlist]) => playlist).toSorted()),
        'the response lists other playlists than those that used it',
        { deleted, shownBy },
      );
      for (const [, one] of shownBy) {
        one.items = one.items.filter((item) => item.content !== id);
      }
      model.assets.delete(id);
      model.deletedIds.push(id);
    },
  }),
];
