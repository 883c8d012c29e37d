import { DEFAULT_DISPLAY } from '@placard/protocol';
import { operations } from '@placard/protocol/api';
import * as fc from 'fast-check';
import { must } from '../support/breach.ts';
import { pairScreen, play, sample, state } from '../support/player.ts';
import { maybe, nameVerdict, nullable, ref, resolveRef, spoil, tagList, text } from './inputs.ts';
import type { Ref } from './inputs.ts';
import { attempt, step } from './world.ts';

const ORIENTATIONS = ['landscape', 'portrait', 'landscape-flipped', 'portrait-flipped'];
const unique = (list: readonly string[]) => [...new Set(list)];

export const deviceSteps = [
  step({
    name: 'pair',
    input: fc.record({ name: maybe(text()), tags: maybe(tagList()), store: maybe(nullable(ref('stores'))) }),
    async run(world, { name, tags, store }) {
      const { model } = world;
      const place = store ? resolveRef(model, store) : { id: store, live: true };
      if (!place.live || model.devices.size >= 4) return;
      if (name !== undefined && nameVerdict(name) !== 'good') return;
      const serial = `SN-${world.next()}`;
      const from = `127.0.0.${2 + (world.next() % 250)}`;
      const body = { name, tags, store_id: place.id };
      const { deviceId, token } = await pairScreen(world.api, serial, body, from);
      const detail = await world.api.get(operations.getDevice, { params: { id: deviceId } });
      must(
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
      });
    },
  }),
  step({
    name: 'updateDevice',
    input: fc.record({
      ref: ref('devices'),
      name: maybe(text()),
      tags: maybe(tagList()),
      store: maybe(nullable(ref('stores'))),
      orientation: maybe(fc.constantFrom(...ORIENTATIONS, 'upside down')),
      display: maybe(
        fc.record(
          {
            fit: fc.constantFrom('contain', 'cover', 'stretch'),
            ground: fc.constantFrom('black', 'blurred'),
            fade_ms: fc.integer({ min: 0, max: 5000 }),
            language: fc.constantFrom('en', 'de', 'fr', 'es', 'ja'),
          },
          { requiredKeys: [] },
        ),
      ),
      pin: maybe(nullable(fc.constantFrom('0471', '12345678', '123'))),
      spoil: spoil(),
    }),
    async run(world, { ref, name, tags, store, orientation, display, pin, spoil }) {
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
        spoil,
        verdict:
          orientation === 'upside down' || pin === '123'
            ? 'bad'
            : name === undefined
              ? 'good'
              : nameVerdict(name),
        bad: [!live && 'DEVICE_NOT_FOUND', !place.live && 'STORE_NOT_FOUND'],
      });
      const held = model.devices.get(id);
      if (!changed || !held) return;
      if (name !== undefined) held.name = name.trim();
      if (tags !== undefined) held.tags = unique(tags);
      if (place.id !== undefined) held.store = place.id;
      if (orientation !== undefined) held.orientation = orientation;
      held.display = { ...held.display, ...display };
      if (pin !== undefined) held.menuPin = pin;
    },
  }),
  step({
    name: 'deleteDevice',
    input: ref('devices'),
    async run(world, input: Ref) {
      const { model } = world;
      const { id, live } = resolveRef(model, input);
      const gone = await attempt(world, operations.deleteDevice, {
        params: { id },
        bad: [!live && 'DEVICE_NOT_FOUND'],
      });
      const held = model.devices.get(id);
      if (!gone || !held) return;
      model.devices.delete(id);
      model.dead.push(id);
      await attempt(world, operations.getManifest, { key: held.token, bad: ['DEVICE_UNPAIRED'] });
    },
  }),
  step({
    name: 'command',
    input: fc.record({
      ref: ref('devices'),
      command: fc.constantFrom('REFRESH', 'REBOOT', 'APP_RESTART', 'UPDATE_CHECK', 'SELF_DESTRUCT'),
      expires_in: maybe(fc.constantFrom(1, 600, 604_800, 0, -5)),
      spoil: spoil(),
    }),
    async run(world, { ref, command, expires_in, spoil }) {
      const { id, live } = resolveRef(world.model, ref);
      const made = await attempt(world, operations.sendCommand, {
        params: { id },
        body: { command, expires_in },
        spoil,
        verdict: command === 'SELF_DESTRUCT' || (expires_in ?? 1) < 1 ? 'bad' : 'good',
        bad: [!live && 'DEVICE_NOT_FOUND'],
      });
      if (!made) return;
      must(made.device_id === id && made.command === command, 'the command is not as sent', made);
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
      if (!device) return;
      const [deviceId, { token }] = device;
      const held = model.commands.get(id);
      const own = live && held?.device === deviceId;
      const answer = await attempt(world, operations.reportCommand, {
        params: { id },
        key: token,
        body: { status, result: { note: 'seen' } },
        bad: [!own && 'COMMAND_NOT_FOUND'],
      });
      if (!answer || !held) return;
      must(
        held.finished === null || answer.status === held.finished,
        'a command that was over came back to life',
        { held, answer },
      );
      if (answer.status === 'succeeded' || answer.status === 'failed') held.finished = answer.status;
    },
  }),
  step({
    name: 'heartbeat',
    input: fc.record({ n: fc.nat(3), agesS: fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 5 }) }),
    async run(world, { n, agesS }) {
      const devices = [...world.model.devices.values()];
      const held = devices[n % devices.length];
      if (!held) return;
      const samples = agesS.map((age) => sample(world.nowMs() - age * 1000));
      const answer = await attempt(world, operations.sendHeartbeats, {
        key: held.token,
        body: { samples, state: state() },
      });
      if (answer) for (const one of samples) held.samples.add(one.measured_at);
    },
  }),
  step({
    name: 'plays',
    input: fc.record({
      n: fc.nat(3),
      plays: fc.array(fc.record({ id: fc.nat(12), ageS: fc.nat(20_000) }), { maxLength: 4 }),
      wrong: fc.boolean(),
    }),
    async run(world, { n, plays: inputs, wrong }) {
      const devices = [...world.model.devices];
      const [deviceId, held] = devices[n % devices.length] ?? [];
      if (!held || deviceId === undefined) return;
      const plays = inputs.map(({ id, ageS }) =>
        play(`play_${deviceId.slice(-12)}${id}`, 'asset_0000000000', world.nowMs() - 60_000 - ageS * 1000),
      );
      const answer = await attempt(world, operations.sendPlays, {
        key: held.token,
        body: { plays: wrong ? [...plays, { id: 'play_x' }] : plays },
      });
      if (!answer) return;
      must(
        answer.rejected.length === (wrong ? 1 : 0) && plays.every((one) => answer.accepted.includes(one.id)),
        'good plays are accepted, bad ones named',
        { plays, answer },
      );
      // What is sent again counts once, as it was sent first.
      for (const { id, started_at } of plays)
        if (!world.model.plays.has(id))
          world.model.plays.set(id, { device: deviceId, startedMs: Date.parse(started_at) });
    },
  }),
];
