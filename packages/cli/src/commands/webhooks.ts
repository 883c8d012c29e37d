import type { Replay, Webhook } from '@placard/client';
import type { Command } from 'commander';
import type { OpenSession } from '../session.ts';
import { splitList } from '../targets.ts';

export function addWebhookCommands(program: Command, open: OpenSession): void {
  const webhooks = program.command('webhooks').description('servers that are told what happens');
  webhooks
    .command('list', { isDefault: true })
    .description('all webhooks')
    .action(async () => {
      const { placard, out, signal } = await open();
      out.list(await placard.webhooks.list({}, { signal }).toArray(), {
        ID: ({ id }) => id,
        URL: ({ url }) => url,
        ACTIVE: ({ is_active: active }) => (active ? 'yes' : 'no'),
        EVENTS: ({ events }) => events,
      });
    });
  webhooks
    .command('create <url>')
    .description('create a webhook and print its secret, once')
    .requiredOption('--events <a,b>', 'which events, such as device.offline', splitList)
    .action(async (url: string, { events }: { events: string[] }) => {
      const { placard, out, signal } = await open();
      // The cloud says which types it does not know.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const types = events as Webhook['events'];
      const webhook = await placard.webhooks.create({ url, events: types }, { signal });
      out.note(`The secret of ${webhook.id} is shown only now:`);
      out.done(webhook.secret, webhook);
    });
  webhooks
    .command('replay <id>')
    .description('send what has happened since a time once more')
    .requiredOption('--since <time>', 'such as 2026-11-20T00:00:00Z')
    .action(async (id: string, { since }: { since: string }) => {
      const { placard, out, signal } = await open();
      let queued = 0;
      let next: { since?: string; cursor?: string } | null = { since };
      while (next !== null) {
        const part: Replay = await placard.webhooks.replay(id, { query: next, signal });
        queued += part.queued;
        next = part.has_more && part.next_cursor !== null ? { cursor: part.next_cursor } : null;
      }
      out.done(`Sending ${queued} notifications once more.`, { queued });
    });
}
