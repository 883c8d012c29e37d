import { operations } from '@placard/protocol/api';
import * as fc from 'fast-check';
import { must } from '../support/breach.ts';
import { maybe, ref, resolveRef, spoil, worst } from './inputs.ts';
import type { Ref } from './inputs.ts';
import { attempt, step } from './world.ts';

// Nobody listens there.
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
const urlVerdict = (url: string) => (/^https?:\/\/127/.test(url) ? ('good' as const) : ('bad' as const));
const eventsVerdict = (list: readonly string[]) =>
  list.length > 0 && !list.includes('coffee.ready') ? ('good' as const) : ('bad' as const);

export const webhookSteps = [
  step({
    name: 'createWebhook',
    input: fc.record({ url: urls, events, is_active: maybe(fc.boolean()), spoil: spoil() }),
    async run(world, { spoil, ...body }) {
      const made = await attempt(world, operations.createWebhook, {
        body,
        spoil,
        verdict: worst(urlVerdict(body.url), eventsVerdict(body.events)),
      });
      if (!made) return;
      must(made.secret.startsWith('whsec_'), 'no secret came with the webhook', made);
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
      url: maybe(urls),
      events: maybe(events),
      is_active: maybe(fc.boolean()),
      spoil: spoil(),
    }),
    async run(world, { ref, spoil, ...body }) {
      const { id, live } = resolveRef(world.model, ref);
      const changed = await attempt(world, operations.updateWebhook, {
        params: { id },
        body,
        spoil,
        verdict: worst(
          body.url === undefined ? 'good' : urlVerdict(body.url),
          body.events === undefined ? 'good' : eventsVerdict(body.events),
        ),
        bad: [!live && 'WEBHOOK_NOT_FOUND'],
      });
      const held = world.model.webhooks.get(id);
      if (!changed || !held) return;
      if (body.url !== undefined) held.url = body.url;
      if (body.events !== undefined) held.events = [...new Set(body.events)];
      if (body.is_active !== undefined) held.active = body.is_active;
    },
  }),
  step({
    name: 'deleteWebhook',
    input: ref('webhooks'),
    async run(world, input: Ref) {
      const { id, live } = resolveRef(world.model, input);
      const gone = await attempt(world, operations.deleteWebhook, {
        params: { id },
        bad: [!live && 'WEBHOOK_NOT_FOUND'],
      });
      if (!gone) return;
      world.model.webhooks.delete(id);
      world.model.dead.push(id);
      await attempt(world, operations.listDeliveries, { params: { id }, bad: ['WEBHOOK_NOT_FOUND'] });
    },
  }),
];
