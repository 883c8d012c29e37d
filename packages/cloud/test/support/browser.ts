import { createApiClient } from './client.ts';
import type { ApiClient, Reply } from './client.ts';
import type { TestCloud } from './test-cloud.ts';

export const PASSWORD = 'correct horse battery';

/** A browser at the cloud's own pages: it keeps cookies, and sends its origin. */
export interface Browser {
  client: ApiClient;
  /** The cookies that it would send. */
  cookies: Map<string, string>;
  /** Signs in with the password. */
  signIn(email: string, password?: string): Promise<Reply>;
}

export interface BrowserOptions {
  /** Of the pages; null: none is sent. By default that of the cloud. */
  origin?: string | null;
  headers?: Record<string, string>;
}

export function openBrowser(cloud: TestCloud, { origin, headers = {} }: BrowserOptions = {}): Browser {
  const cookies = new Map<string, string>();
  const client = createApiClient({
    url: () => cloud.cloud.url,
    secret: null,
    beforeRequest: () => cloud.clock.advance(1000),
    cookies: {
      headers: () => {
        const sent = origin === undefined ? cloud.cloud.url : origin;
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        return {
          ...(sent === null ? {} : { origin: sent }),
          ...(cookie === '' ? {} : { cookie }),
          ...headers,
        };
      },
      receive(lines) {
        for (const line of lines) {
          const [pair = '', ...attributes] = line.split(';').map((each) => each.trim());
          const [name = '', value = ''] = pair.split('=', 2);
          if (value === '' || attributes.some((each) => /^max-age=0$/i.test(each))) {
            cookies.delete(name);
          } else {
            cookies.set(name, value);
          }
        }
      },
    },
  });
  return {
    client,
    cookies,
    signIn: (email, password = PASSWORD) => client.post('/v1/auth/sign-in', { email, password }),
  };
}

export interface Person extends Browser {
  id: string;
  email: string;
}

let number = 0;

/** Invites a person, who signs up in a browser of their own. */
export async function addPerson(
  cloud: TestCloud,
  role: 'Viewer' | 'Editor' | 'Admin',
  more: { email?: string; name?: string; stores?: string[] } = {},
): Promise<Person> {
  number += 1;
  const email = more.email ?? `${role.toLowerCase()}-${number}@example.com`;
  const invitation = await cloud.admin.post('/v1/invitations', { email, role, stores: more.stores ?? null });
  const browser = openBrowser(cloud);
  const accepted = await browser.client.post('/v1/auth/accept-invitation', {
    token: tokenOf(invitation.data.url),
    name: more.name ?? `${role} ${number}`,
    password: PASSWORD,
  });
  if (accepted.status !== 201) {
    throw new Error(`signing up answered ${accepted.status} ${JSON.stringify(accepted.error)}`);
  }
  const me = await browser.client.get('/v1/me');
  if (me.status !== 200) {
    throw new Error(
      `/v1/me answered ${me.status} ${JSON.stringify(me.error)} ${JSON.stringify([...browser.cookies])}`,
    );
  }
  return { ...browser, id: me.data.id, email };
}

/** The secret part of a link. */
export const tokenOf = (url: string): string => url.split('#')[1] ?? '';
