import { randomBytes } from 'node:crypto';
import { makeId } from '@placard/protocol';
import type { Role } from '@placard/protocol/api';
import { auditRepository } from '../database/audit-log.ts';
import { invitationRepository } from '../database/invitations.ts';
import { sessionRepository } from '../database/sessions.ts';
import { signInTableRepository } from '../database/sign-in-tables.ts';
import { storeRepository } from '../database/stores.ts';
import { userRepository } from '../database/users.ts';
import type { UserRow } from '../database/users.ts';
import { diffSnapshots } from '../domain/audit-changes.ts';
import type { AuditSnapshot } from '../domain/audit-changes.ts';
import { toIso, toIsoOrNull } from '../domain/iso-time.ts';
import { StartupError } from '../domain/startup-error.ts';
import { INVITATION_MS, invitationUrl, newLinkToken } from '../people/links.ts';
import { createPersonalLink, RESET_LINK, SIGN_IN_LINK } from '../people/personal-links.ts';
import type { PersonalLinkKind } from '../people/personal-links.ts';
import { commandLineActor } from './actor.ts';
import { inCloudDatabase } from './cloud-database.ts';
import type { DatabaseLocation } from './cloud-database.ts';

type PeopleRepositories = ReturnType<typeof repositoriesOf>;

function repositoriesOf(trx: Parameters<typeof userRepository>[0]) {
  return {
    users: userRepository(trx),
    sessions: sessionRepository(trx),
    invitations: invitationRepository(trx),
    signInTables: signInTableRepository(trx),
    stores: storeRepository(trx),
    audit: auditRepository(trx),
  };
}

/** Opens the people of a cloud, which may be running, in one transaction. */
export const withPeople = <T>(
  location: DatabaseLocation,
  work: (repositories: PeopleRepositories) => Promise<T>,
): Promise<T> => inCloudDatabase(location, { migrates: false }, (trx) => work(repositoriesOf(trx)));

export async function listUsers({ users }: PeopleRepositories): Promise<string[]> {
  const lines: string[] = [];
  for (let page = 1; ; page++) {
    const { rows } = await users.list({ page, limit: 100 });
    for (const row of rows) {
      const seen =
        row.last_signed_in_at === null ? 'never signed in' : `signed in ${toIso(row.last_signed_in_at)}`;
      const bound = row.stores === null ? '' : `, ${row.stores.length} stores`;
      const state = row.disabled_at === null ? '' : ', disabled';
      const code = row.has_totp === 1 ? ', with a second factor' : '';
      lines.push(`${row.email}  ${row.role.padEnd(6)}  ${row.name}  (${seen}${code}${bound}${state})`);
    }
    if (rows.length < 100) {
      return lines;
    }
  }
}

interface LinkContext {
  publicUrl: string;
  nowMs: number;
}

/** Returns the link, which works once. */
export async function inviteUser(
  { users, invitations, stores, audit }: PeopleRepositories,
  input: { role: Role; email: string | null; stores: readonly string[] },
  { publicUrl, nowMs }: LinkContext,
): Promise<string> {
  const email = input.email?.trim().toLowerCase() ?? null;
  if (email !== null && (await users.findByEmail(email))) {
    throw new StartupError(
      `${email} already has an account. Make a new password with "users reset-password".`,
    );
  }
  if (input.role === 'Admin' && input.stores.length > 0) {
    throw new StartupError('An Admin is never bound to stores. Leave out --store.');
  }
  const found = await stores.findNames(input.stores);
  const missing = input.stores.find((id) => !found.has(id));
  if (missing !== undefined) {
    throw new StartupError(`There is no store ${missing}.`);
  }
  const { token, hash } = newLinkToken();
  const id = makeId('invitation', nowMs, randomBytes(16));
  const boundTo = input.stores.length === 0 ? null : JSON.stringify(input.stores);
  const expiresMs = nowMs + INVITATION_MS;
  await invitations.insert({
    id,
    token_hash: hash,
    email,
    role: input.role,
    stores: boundTo,
    created_by: commandLineActor().actor_name,
    created_at: nowMs,
    expires_at: expiresMs,
    accepted_at: null,
    accepted_by: null,
    revoked_at: null,
  });
  const fields = {
    email: { value: email },
    role: { value: input.role },
    stores: { value: boundTo && input.stores },
    expires_at: { value: toIsoOrNull(expiresMs) },
  };
  await audit.append({
    ...entryOf('invitation.created', { type: 'invitation', id, name: email }, nowMs),
    changes: diffSnapshots(null, { name: email, fields }),
  });
  return invitationUrl(publicUrl, token);
}

/** Returns a link with which the person chooses a new password. */
export async function resetPassword(
  repositories: PeopleRepositories,
  email: string,
  context: LinkContext,
): Promise<string> {
  const user = await requireUser(repositories, email);
  return createLink(repositories, user, { kind: RESET_LINK, action: 'user.reset_link_created' }, context);
}

/**
 * Returns a link with which the person signs in, without password and second factor: whoever is at this command line
 * can remove both.
 */
export async function createSignInLink(
  repositories: PeopleRepositories,
  email: string,
  context: LinkContext,
): Promise<string> {
  const user = await requireUser(repositories, email);
  if (user.disabled_at !== null) {
    throw new StartupError(`${user.email} is disabled. Let them in again with "users enable".`);
  }
  return createLink(repositories, user, { kind: SIGN_IN_LINK, action: 'user.sign_in_link_created' }, context);
}

async function createLink(
  { signInTables, audit }: PeopleRepositories,
  user: UserRow,
  { kind, action }: { kind: PersonalLinkKind; action: string },
  { publicUrl, nowMs }: LinkContext,
): Promise<string> {
  const id = makeId('session', nowMs, randomBytes(16));
  const { url } = await createPersonalLink(signInTables, kind, { id, userId: user.id, publicUrl, nowMs });
  await audit.append({ ...userEntry(action, user, nowMs), changes: [] });
  return url;
}

export async function removeSecondFactor(
  repositories: PeopleRepositories,
  email: string,
  nowMs: number,
): Promise<void> {
  await changeUser(repositories, email, { action: 'user.second_factor_removed', nowMs }, (user) =>
    repositories.users.removeSecondFactor(user.id),
  );
}

/** Disabling ends all sessions. Nothing is checked: whoever is at this command line can let anybody in again. */
export async function setDisabled(
  repositories: PeopleRepositories,
  email: string,
  { disabled, nowMs }: { disabled: boolean; nowMs: number },
): Promise<void> {
  await changeUser(repositories, email, { action: 'user.updated', nowMs }, async (user) => {
    await repositories.users.update(user.id, { disabled_at: disabled ? nowMs : null, updated_at: nowMs });
    if (disabled) {
      await repositories.sessions.endAll(user.id);
    }
  });
}

async function changeUser(
  repositories: PeopleRepositories,
  email: string,
  { action, nowMs }: { action: string; nowMs: number },
  change: (user: UserRow) => Promise<void>,
): Promise<void> {
  const user = await requireUser(repositories, email);
  await change(user);
  const after = await requireUser(repositories, email);
  await repositories.audit.append({
    ...userEntry(action, user, nowMs),
    changes: diffSnapshots(toSnapshot(user), toSnapshot(after)),
  });
}

const toSnapshot = ({ name, disabled_at: disabledMs, has_totp: hasTotp }: UserRow): AuditSnapshot => ({
  name,
  fields: { disabled: { value: disabledMs !== null }, second_factor: { value: hasTotp === 1 } },
});

async function requireUser({ users }: PeopleRepositories, email: string): Promise<UserRow> {
  const found = await users.findByEmail(email.trim().toLowerCase());
  const user = found && (await users.find(found.id));
  if (!user) {
    throw new StartupError(`Nobody has the e-mail address ${email}. See the people with "users list".`);
  }
  return user;
}

const userEntry = (action: string, { id, name }: UserRow, nowMs: number) =>
  entryOf(action, { type: 'user', id, name }, nowMs);

const entryOf = (
  action: string,
  resource: { type: string; id: string; name: string | null },
  nowMs: number,
) => ({
  id: makeId('audit', nowMs, randomBytes(16)),
  created_at: nowMs,
  ...commandLineActor(),
  action,
  resource_type: resource.type,
  resource_id: resource.id,
  resource_name: resource.name,
});
