import { readFileSync } from 'node:fs';
import type { Role } from '@placard/protocol/api';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { errorCode } from '../domain/error-details.ts';
import { StartupError } from '../domain/startup-error.ts';
import type { CompanySignIn } from '../people/sign-in-engine.ts';

export interface PeopleStartOptions {
  oidcIssuer?: string;
  oidcClientId?: string;
  oidcClientSecretFile?: string;
  oidcClientSecret?: string;
  oidcName: string;
  oidcRole?: Role;
}

function parseIssuer(text: string): string {
  const url = URL.parse(text);
  const isLocal = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLocal))) {
    throw new InvalidArgumentError('Give the https URL of the issuer, such as https://login.example.com.');
  }
  return text.replace(/\/+$/, '');
}

/** How people of a company sign in, with flags, environment variables and help texts in one place. */
export const addPeopleOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--oidc-issuer <url>', 'OpenID Connect issuer with whose accounts people sign in')
        .env('PLACARD_OIDC_ISSUER')
        .argParser(parseIssuer),
    )
    .addOption(
      new Option('--oidc-client-id <id>', 'of this cloud at the issuer').env('PLACARD_OIDC_CLIENT_ID'),
    )
    .addOption(
      new Option('--oidc-client-secret-file <file>', 'file with the secret of this cloud at the issuer')
        .env('PLACARD_OIDC_CLIENT_SECRET_FILE')
        .conflicts('oidcClientSecret'),
    )
    .addOption(
      new Option(
        '--oidc-client-secret <secret>',
        'the secret itself; as a flag it is visible to all users of this machine in the process list, as an ' +
          'environment variable it is not',
      ).env('PLACARD_OIDC_CLIENT_SECRET'),
    )
    .addOption(
      new Option('--oidc-name <name>', 'what people call these accounts')
        .env('PLACARD_OIDC_NAME')
        .default('Company account'),
    )
    .addOption(
      new Option(
        '--oidc-role <role>',
        'role of people who come from the issuer without an invitation; by default they are not let in',
      )
        .env('PLACARD_OIDC_ROLE')
        .choices(['Viewer', 'Editor', 'Admin']),
    );

/** Undefined without an issuer. Throws a `StartupError` if something is missing. */
export function toCompanySignIn({
  oidcIssuer: issuer,
  oidcClientId: clientId,
  oidcClientSecretFile: file,
  oidcClientSecret,
  oidcName: name,
  oidcRole: role,
}: PeopleStartOptions): CompanySignIn | undefined {
  if (issuer === undefined) {
    return undefined;
  }
  const clientSecret = file === undefined ? oidcClientSecret : readSecret(file);
  if (clientId === undefined || clientSecret === undefined) {
    throw new StartupError('--oidc-issuer also needs --oidc-client-id and --oidc-client-secret-file.');
  }
  return { name, issuer, clientId, clientSecret, role: role ?? null };
}

function readSecret(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new StartupError(
      `The file ${file} of --oidc-client-secret-file cannot be read (${errorCode(cause)}).`,
      cause,
    );
  }
}
