import type { IdKind } from '@placard/protocol';
import type { Role } from '@placard/protocol/api';
import type { CloudDatabase } from '../database/cloud-database.ts';
import type { Clock } from '../domain/clock.ts';
import type { CompanySignIn } from './sign-in-engine.ts';

/** What a person of the company may do who comes for the first time. */
export interface Admission {
  role: Role;
  /** Null for all. */
  stores: readonly string[] | null;
  invitationId: string | null;
}

export interface AdmissionsDeps {
  database: CloudDatabase;
  clock: Clock;
  newId: (kind: IdKind) => string;
  company: CompanySignIn | null;
}

/** Lets people of the company in: with the invitation for their e-mail address, or else with the role for all. */
export function createAdmissions({ database, clock, newId, company }: AdmissionsDeps) {
  const find = async (email: string): Promise<Admission | null> => {
    const invitation = await database.invitations.findOpenFor(email, clock.nowMs());
    if (invitation) {
      const stores: string[] | null = invitation.stores === null ? null : JSON.parse(invitation.stores);
      return { role: invitation.role, stores, invitationId: invitation.id };
    }
    return company?.role ? { role: company.role, stores: null, invitationId: null } : null;
  };
  return {
    find,
    /** Binds the person who was just made to stores, uses the invitation up and records it. */
    async record(user: { id: string; name: string; email: string }): Promise<void> {
      const admission = await find(user.email);
      const nowMs = clock.nowMs();
      await database.transaction(async (tx) => {
        const existing = await tx.stores.findNames(admission?.stores ?? []);
        await tx.users.setStores(user.id, admission?.stores?.filter((id) => existing.has(id)) ?? null);
        if (admission?.invitationId) {
          await tx.invitations.accept(admission.invitationId, user.id, nowMs);
        }
        await tx.audit.append({
          id: newId('audit'),
          created_at: nowMs,
          actor_type: 'user',
          actor_id: user.id,
          actor_name: user.name,
          address: null,
          request_id: null,
          action: 'user.signed_up',
          resource_type: 'user',
          resource_id: user.id,
          resource_name: user.name,
          changes: [
            { field: 'email', before: null, after: user.email, truncated: false },
            { field: 'role', before: null, after: admission?.role ?? null, truncated: false },
          ],
        });
      });
    },
  };
}
