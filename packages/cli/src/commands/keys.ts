import type { Command } from 'commander';
import { UsageError } from '../output/failure.ts';
import type { OpenSession } from '../session.ts';

const SCOPES = ['Read', 'Write', 'Admin'] as const;

export function addKeyCommands(program: Command, open: OpenSession): void {
  const keys = program.command('keys').description('API keys');
  keys
    .command('list', { isDefault: true })
    .description('all keys, without their secrets')
    .action(async () => {
      const { placard, out, signal } = await open();
      out.list(await placard.apiKeys.list({}, { signal }).toArray(), {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        SCOPE: ({ scope }) => scope,
        'LAST USED': ({ last_used_at: used }) => used,
        EXPIRES: ({ expires_at: expires }) => expires,
      });
    });
  keys
    .command('create <name>')
    .description('create a key and print it, once')
    .requiredOption('--scope <scope>', SCOPES.join(', '))
    .option('--expires-at <time>', 'when it stops working')
    .action(async (name: string, options: { scope: string; expiresAt?: string }) => {
      const { placard, out, signal } = await open();
      const scope = SCOPES.find((each) => each.toLowerCase() === options.scope.toLowerCase());
      if (!scope) {
        throw new UsageError(`A scope is ${SCOPES.join(', ')}.`);
      }
      const expires = options.expiresAt === undefined ? {} : { expires_at: options.expiresAt };
      const key = await placard.apiKeys.create({ name, scope, ...expires }, { signal });
      out.note(`The key ${key.id} is shown only now:`);
      out.done(key.key, key);
    });
  keys
    .command('revoke <id>')
    .description('the next request with this key is refused')
    .action(async (id: string) => {
      const { placard, out, signal } = await open();
      out.done(`Revoked ${id}.`, await placard.apiKeys.delete(id, { signal }));
    });
}
