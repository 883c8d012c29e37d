import { operations } from '@placard/protocol/api';
import * as fc from 'fast-check';
import { assert } from '../support/contract-violation.ts';
import { optional, ref, resolveRef, bodyCorruption, worstValidity } from './inputs.ts';
import type { Ref } from './inputs.ts';
import { attempt, step } from './world.ts';

// Nothing listens there.
const urls = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('http://127.0.0.1:9/hook', 'https://127.0.0.1:9/a?b=c') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('ftp://127.0.0.1/', 'hook', '', 'http://a:b@127.0.0.1/', 'http://10.0.0.1/'),
  },
);
const events = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.array(fc.constantFrom('device.paired', 'playlist.updated', 'content.created'), {
      minLength: 1,
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom([], ['coffee.ready']) },
);
const urlValidity = (url: string) =>
  /^https?:\/\/127/.test(url) ? ('valid' as const) : ('invalid' as const);
const eventsValidity = (list: readonly string[]) =>
  list.length > 0 && !list.includes('coffee.ready') ? ('valid' as const) : ('invalid' as const);

export const webhookSteps = [
  step({
    name: 'createWebhook',
    input: fc.record({ url: urls, events, is_active: optional(fc.boolean()), corruption: bodyCorruption() }),
    async run(world, { corruption, ...body }) {
      const made = await attempt(world, operations.createWebhook, {
        body,
        corruption,
        validity: worstValidity(urlValidity(body.url), eventsValidity(body.events)),
      });
      if (!made) {
        return;
      }
      assert(made.secret.startsWith('whsec_'), 'no secret came with the webhook', made);
      world.model.webhooks.set(made.id, {
        url: body.url,
        events: [...new Set(body.events)],
        active: body.is_active ?? true,
      });
    },
  }),
  step({
    name: 'updateWebhook',
    input: fc.record({
      ref: ref('webhooks'),
      url: optional(urls),
      events: optional(events),
      is_active: optional(fc.boolean()),
      corruption: bodyCorruption(),
    }),
    async run(world, { ref, corruption, ...body }) {
      const { id, live } = resolveRef(world.model, ref);
      const changed = await attempt(world, operations.updateWebhook, {
        params: { id },
        body,
        corruption,
        validity: worstValidity(
          body.url === undefined ? 'valid' : urlValidity(body.url),
          body.events === undefined ? 'valid' : eventsValidity(body.events),
        ),
        expectedErrors: [!live && 'WEBHOOK_NOT_FOUND'],
      });
      const modelEntry = world.model.webhooks.get(id);
      if (!changed || !modelEntry) {
        return;
      }
      if (body.url !== undefined) {
        modelEntry.url = body.url;
      }
      if (body.events !== undefined) {
        modelEntry.events = [...new Set(body.events)];
      }
      if (body.is_active !== undefined) {
        modelEntry.active = body.is_active;
      }
    },
  }),
  step({
    name: 'deleteWebhook',
    input: ref('webhooks'),
    async run(world, input: Ref) {
      const { id, live } = resolveRef(world.model, input);
      const deleted = await attempt(world, operations.deleteWebhook, {
        params: { id },
        expectedErrors: [!live && 'WEBHOOK_NOT_FOUND'],
      });
      if (!deleted) {
        return;
      }
      world.model.webhooks.delete(id);
      world.model.deletedIds.push(id);
      await attempt(world, operations.listDeliveries, {
        params: { id },
        expectedErrors: ['WEBHOOK_NOT_FOUND'],
      });
    },
  }),
];
