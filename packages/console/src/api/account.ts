import type { Data } from '@placard/client';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { placard } from './placard.ts';

/** Who is signed in, and what they may do. */
export type Account = Data<'getOwnAccount'>;

const ORDER = ['Read', 'Write', 'Admin'] as const;

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: async ({ signal }): Promise<Account> => {
    const { data } = await placard.request('GET /v1/me', { signal });
    return data;
  },
  staleTime: 5 * 60_000,
});

export const useAccount = (): Account => useSuspenseQuery(accountQuery).data;

/** Whether the person may do what needs this scope. */
export function useMay(scope: Account['scope']): boolean {
  return ORDER.indexOf(useAccount().scope) >= ORDER.indexOf(scope);
}
