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

/** Whether the person is bound to some stores, so that they change nothing that others may show. Those may be none any more. */
export const useIsBound = (): boolean => useAccount().stores !== null;

/** Whether the person may do what needs this scope and concerns all stores. */
export function useMayInAllStores(scope: Account['scope']): boolean {
  const may = useMay(scope);
  return !useIsBound() && may;
}
