import type { Role } from '@placard/protocol/api';

/** The tables of people who sign in. */
export interface PeopleTables {
  /** People who sign in. */
  users: {
    id: string;
    name: string;
    /** In lower case. */
    email: string;
    /** 1 if somebody vouches for it: who invited the person, or the company that signs them in. */
    email_verified: number;
    role: Role;
    /** 0: bound to the stores in `user_stores`, which may be none. */
    all_stores: number;
    /** 1: signing in with the password also needs a code. */
    has_totp: number;
    disabled_at: number | null;
    last_signed_in_at: number | null;
    created_at: number;
    updated_at: number;
  };
  user_stores: { user_id: string; store_id: string };
  sessions: {
    id: string;
    user_id: string;
    /** SHA-256 of what is in the cookie. */
    token_hash: string;
    address: string | null;
    user_agent: string | null;
    created_at: number;
    updated_at: number;
    expires_at: number;
    last_used_at: number;
  };
  /** How a person signs in: `credential` with the password hash, or another provider with the person's id there. */
  user_accounts: {
    id: string;
    user_id: string;
    provider: string;
    account_id: string;
    issuer: string | null;
    password: string | null;
    created_at: number;
    updated_at: number;
  };
  passkeys: {
    id: string;
    user_id: string;
    name: string | null;
    public_key: string;
    credential_id: string;
    counter: number;
    device_type: string;
    backed_up: number;
    transports: string | null;
    aaguid: string | null;
    created_at: number;
  };
  /** Secrets of one-time codes (TOTP), and codes for when the phone is lost; both encrypted. */
  second_factors: {
    id: string;
    user_id: string;
    secret: string;
    backup_codes: string;
    /** 0 until a first code was right. */
    verified: number;
    failures: number;
    locked_until: number | null;
  };
  /** What a sign-in or a reset that has begun needs for its next step. */
  sign_in_steps: {
    id: string;
    /** Hash of what the browser or the link has. */
    identifier: string;
    value: string;
    expires_at: number;
    created_at: number;
    updated_at: number;
  };
  invitations: {
    id: string;
    token_hash: string;
    /** Null: for any e-mail address. */
    email: string | null;
    role: Role;
    /** JSON of store ids; null for all stores. */
    stores: string | null;
    /** Name of who made it. */
    created_by: string;
    created_at: number;
    expires_at: number;
    accepted_at: number | null;
    /** The person that it became. */
    accepted_by: string | null;
    revoked_at: number | null;
  };
  /** One row, once somebody has signed in: signs cookies, encrypts the secrets of one-time codes. */
  sign_in_secret: { id: number; secret: string };
}
