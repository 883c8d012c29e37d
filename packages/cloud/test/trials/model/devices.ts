import { DEFAULT_DISPLAY } from '@placard/protocol';
import { operations } from '@placard/protocol/api';
import * as fc from 'fast-check';
import { assert } from '../support/contract-violation.ts';
import { pairDevice } from '../support/paired-device.ts';
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

const ORIENTATIONS = ['landscape', 'portrait', 'landscape-flipped', 'portrait-flipped'];
const unique = (list: readonly string[]) => [...new Set(list)];

export const deviceSteps = [
  step({
    name: 'pair',
    input: fc.record({
      name: optional(text()),
      tags: optional(tagList()),
      store: optional(nullable(ref('stores'))),
    }),
    async run(world, { name, tags, store }) {
      const { model } = world;
      const place = store ? resolveRef(model, store) : { id: store, live: true };
      if (!place.live || model.devices.size >= 4) {
        return;
      }
      if (name !== undefined && nameValidity(name) !== 'valid') {
        return;
      }
      const serial = `SN-${world.next()}`;
      const from = `127.0.0.${2 + (world.next() % 250)}`;
      const body = { name, tags, store_id: place.id };
      const { deviceId, token } = await pairDevice(world.api, serial, body, from);
      const detail = await world.api.expectSuccess(operations.getDevice, { params: { id: deviceId } });
      assert(
        (name === undefined || detail.name === name.trim()) &&
          detail.store_id === (place.id ?? null) &&
          JSON.stringify(detail.tags) === JSON.stringify(unique(tags ?? [])),
        'the paired device is not as asked',
        { body, detail },
      );
      model.devices.set(deviceId, {
        name: detail.name,
        store: detail.store_id,
        tags: detail.tags,
        orientation: detail.orientation,
        display: DEFAULT_DISPLAY,
        menuPin: null,
        token,
        samples: new Set(),
        frames: null,
        stateOnSocket: null,
      });
    },
  }),
  step({
    name: 'updateDevice',
    input: fc.record({
      ref: ref('devices'),
      name: optional(text()),
      tags: optional(tagList()),
      store: optional(nullable(ref('stores'))),
      orientation: optional(fc.constantFrom(...ORIENTATIONS, 'upside down')),
      display: optional(
        fc.record(
          {
            fit: fc.constantFrom('contain', 'cover', 'stretch'),
            background: fc.constantFrom('black', 'blurred'),
            fade_ms: fc.integer({ min: 0, max: 5000 }),
            language: fc.constantFrom('en', 'de', 'fr', 'es', 'ja'),
          },
          { requiredKeys: [] },
        ),
      ),
      pin: optional(nullable(fc.constantFrom('0471', '12345678', '123'))),
      corruption: bodyCorruption(),
    }),
    async run(world, { ref, name, tags, store, orientation, display, pin, corruption }) {
      const { model } = world;
      const { id, live } = resolveRef(model, ref);
      const place = store ? resolveRef(model, store) : { id: store, live: true };
      const changed = await attempt(world, operations.updateDevice, {
        params: { id },
        body: {
          name,
          tags,
          store_id: place.id,
          orientation,
          configuration: display || pin !== undefined ? { ...display, menu_pin: pin } : undefined,
        },
        corruption,
        validity:
          orientation === 'upside down' || pin === '123'
            ? 'invalid'
            : name === undefined
              ? 'valid'
              : nameValidity(name),
        expectedErrors: [!live && 'DEVICE_NOT_FOUND', !place.live && 'STORE_NOT_FOUND'],
      });
      const modelEntry = model.devices.get(id);
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
        modelEntry.store = place.id;
      }
      if (orientation !== undefined) {
        modelEntry.orientation = orientation;
      }
      modelEntry.display = { ...modelEntry.display, ...display };
      if (pin !== undefined) {
        modelEntry.menuPin = pin;
      }
    },
  }),
  step({
    name: 'deleteDevice',
    input: ref('devices'),
    async run(world, input: Ref) {
      const { model } = world;
      const { id, live } = resolveRef(model, input);
      const deleted = await attempt(world, operations.deleteDevice, {
        params: { id },
        expectedErrors: [!live && 'DEVICE_NOT_FOUND'],
      });
      const modelEntry = model.devices.get(id);
      if (!deleted || !modelEntry) {
        return;
      }
      model.devices.delete(id);
      model.deletedIds.push(id);
      await attempt(world, operations.getManifest, {
        key: modelEntry.token,
        expectedErrors: ['DEVICE_UNPAIRED'],
      });
    },
  }),
  step({
    name: 'command',
    input: fc.record({
      ref: ref('devices'),
      command: fc.constantFrom('REFRESH', 'REBOOT', 'APP_RESTART', 'UPDATE_CHECK', 'SELF_DESTRUCT'),
      expires_in: optional(fc.constantFrom(1, 600, 604_800, 0, -5)),
      corruption: bodyCorruption(),
    }),
    async run(world, { ref, command, expires_in, corruption }) {
      const { id, live } = resolveRef(world.model, ref);
      const made = await attempt(world, operations.sendCommand, {
        params: { id },
        body: { command, expires_in },
        corruption,
        validity: command === 'SELF_DESTRUCT' || (expires_in ?? 1) < 1 ? 'invalid' : 'valid',
        expectedErrors: [!live && 'DEVICE_NOT_FOUND'],
      });
      if (!made) {
        return;
      }
      assert(made.device_id === id && made.command === command, 'the command differs from the request', made);
      world.model.commands.set(made.id, { device: id, command, finished: null });
    },
  }),
  step({
    name: 'reportCommand',
    input: fc.record({
      ref: ref('commands'),
      status: fc.constantFrom('acknowledged', 'succeeded', 'failed'),
    }),
    async run(world, { ref, status }) {
      const { model } = world;
      const { id, live } = resolveRef(model, ref);
      const device = [...model.devices][0];
      if (!device) {
        return;
      }
      const [deviceId, { token }] = device;
      const modelEntry = model.commands.get(id);
      const own = live && modelEntry?.device === deviceId;
      const response = await attempt(world, operations.reportCommand, {
        params: { id },
        key: token,
        body: { status, result: { note: 'seen' } },
        expectedErrors: [!own && 'COMMAND_NOT_FOUND'],
      });
      if (!response || !modelEntry) {
        return;
      }
      assert(
        modelEntry.finished === null || response.status === modelEntry.finished,
        'a finished command changed',
        { modelEntry, response },
      );
      if (response.status === 'succeeded' || response.status === 'failed') {
        modelEntry.finished = response.status;
      }
    },
  }),
];
