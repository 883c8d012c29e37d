import { useMutation } from '@tanstack/react-query';
import { useEdited } from './edited.ts';

/**
 * The name that is typed for something new, which outlives a reload, and what creates it.
 *
 * @param place tells the form from all others; see `useEdited`
 */
export function useNewName(place: string, create: (name: string) => Promise<void>) {
  const { edited, restoredAtMs, edit, discard } = useEdited<{ name: string }>(place, null);
  const name = edited?.name ?? '';
  const creation = useMutation({ mutationFn: () => create(name), onSuccess: discard });
  return {
    name,
    restoredAtMs,
    edit: (typed: string) => edit({ name: typed }),
    discard,
    error: creation.error,
    isBusy: creation.isPending,
    create: () => creation.mutate(),
  };
}
