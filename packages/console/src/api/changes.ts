import { useIsMutating } from '@tanstack/react-query';

/** The key of mutations that change a resource. Its page makes one change at a time: each begins from what the one before has stored. */
export const keyOfChanges = (kind: string, id: string) => ['changes', kind, id] as const;

/** Whether a change of a resource is not answered yet. */
export const useIsChanging = (kind: string, id: string): boolean =>
  useIsMutating({ mutationKey: keyOfChanges(kind, id) }) > 0;
