import type { Replay, Webhook } from '@placard/client';
import type { Command } from 'commander';
import { UsageError } from '../output/failure.ts';
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
    .option('--since <time>', 'such as 2026-11-20T00:00:00Z')
    .option('--after <id>', 'instead of a time: after the event with this id')
    .action(async (id: string, { since, after }: { since?: string; after?: string }) => {
      const { placard, out, signal } = await open();
      if ((since === undefined) === (after === undefined)) {
        throw new UsageError('Either --since or --after.');
      }
      let queued = 0;
      let next: { since?: string | undefined; cursor?: string | undefined } | null = {
        since,
        cursor: after,
      };
      try {
        while (next !== null) {
          const part: Replay = await placard.webhooks.replay(id, { query: next, signal });
          queued += part.queued;
          next = part.has_more && part.next_cursor !== null ? { cursor: part.next_cursor } : null;
        }
      } catch (error) {
        if (next?.cursor !== undefined) {
          out.note(`Sending ${queued} notifications once more. Go on with --after ${next.cursor}`);
        }
        throw error;
      }
      out.done(`Sending ${queued} notifications once more.`, { queued });
    });
}
