import type { Page } from '@placard/client';
import { infiniteQueryOptions } from '@tanstack/react-query';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { useTexts } from './settings-texts.ts';

/** A list of the API that is read part by part. `read` gets the cursor of a part. */
export const listPages = <T,>(queryKey: readonly unknown[], read: (cursor: string) => Promise<Page<T>>) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: 'first',
    getNextPageParam: ({ meta }) => (meta.has_more === true ? meta.next_cursor : null),
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  });

/** Shows what was read, and offers what follows. */
export function ListPages<T>({
  query,
  empty,
  children,
}: {
  query: UseInfiniteQueryResult<T[]>;
  empty: string;
  children: (items: readonly T[]) => ReactNode;
}) {
  const texts = useTexts();
  const items = query.data;
  return (
    <>
      {items?.length === 0 && <p className="py-4 text-muted">{empty}</p>}
      {items !== undefined && items.length > 0 && children(items)}
      {query.error && <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton className="h-40" />}
      {query.hasNextPage && (
        <Button
          className="self-start"
          isBusy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {texts.showMore}
        </Button>
      )}
    </>
  );
}
