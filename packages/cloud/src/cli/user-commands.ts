import type { Role } from '@placard/protocol/api';
import { Option } from 'commander';
import type { Command } from 'commander';
import type { StartOptions } from '../config/options.ts';

/** `cloud users …`: for whoever has lost access, and for the first Admin. */
export function addUserCommands(program: Command, startOptions: () => StartOptions): void {
  const users = program
    .command('users')
    .description('people who sign in: list, invite, let in again, disable');
  users
    .command('list')
    .description('list the people')
    .action(async () => {
      const { listUsers, withPeople } = await import('./users.ts');
      for (const line of await withPeople(startOptions(), listUsers)) {
        console.log(line);
      }
    });
  users
    .command('invite')
    .description('print a link with which a person signs up; it works once, for 7 days')
    .addOption(
      new Option('--role <role>', 'what the person may do')
        .choices(['Viewer', 'Editor', 'Admin'])
        .default('Admin'),
    )
    .option('--email <address>', 'the only address that can be signed up')
    .option('--store <ids...>', 'the stores that the person is bound to', [])
    .action(async (options: { role: Role; email?: string; store: string[] }) => {
      const { inviteUser, withPeople } = await import('./users.ts');
      const { role, email = null, store: stores } = options;
      console.log(
        await withPeople(startOptions(), (people) =>
          inviteUser(people, { role, email, stores }, linkContext()),
        ),
      );
    });
  users
    .command('sign-in-link')
    .description(
      'print a link with which a person signs in, without password and code; it works once, for 15 minutes',
    )
    .argument('<email>')
    .action(async (email: string) => {
      const { createSignInLink, withPeople } = await import('./users.ts');
      console.log(
        await withPeople(startOptions(), (people) => createSignInLink(people, email, linkContext())),
      );
    });
  users
    .command('reset-password')
    .description('print a link with which a person chooses a new password; it works once, for 24 hours')
    .argument('<email>')
    .action(async (email: string) => {
      const { resetPassword, withPeople } = await import('./users.ts');
      console.log(await withPeople(startOptions(), (people) => resetPassword(people, email, linkContext())));
    });
  users
    .command('remove-second-factor')
    .description('let a person sign in without a code again')
    .argument('<email>')
    .action(async (email: string) => {
      const { removeSecondFactor, withPeople } = await import('./users.ts');
      await withPeople(startOptions(), (people) => removeSecondFactor(people, email, Date.now()));
      console.log(`${email} signs in without a code.`);
    });
  for (const [name, disabled, result] of [
    ['disable', true, 'is disabled; all sessions have ended.'],
    ['enable', false, 'can sign in again.'],
  ] as const) {
    users
      .command(name)
      .description(
        disabled
          ? 'end all sessions of a person, who cannot sign in any more'
          : 'let a disabled person in again',
      )
      .argument('<email>')
      .action(async (email: string) => {
        const { setDisabled, withPeople } = await import('./users.ts');
        await withPeople(startOptions(), (people) =>
          setDisabled(people, email, { disabled, nowMs: Date.now() }),
        );
        console.log(`${email} ${result}`);
      });
  }

  const linkContext = () => {
    const { publicUrl, port } = startOptions();
    return { publicUrl: publicUrl?.replace(/\/+$/, '') ?? `http://localhost:${port}`, nowMs: Date.now() };
  };
}
