import { PlacardError } from '@placard/client';
import { useMutation } from '@tanstack/react-query';
import { keyOfChanges, useIsChanging } from './changes.ts';
import { useEdited } from './edited.ts';

interface Options<T, R> {
  /** The kind of resource, for example `device`. */
  kind: string;
  /** Null for a new one. */
  id: string | null;
  /** Of the state that is shown; null for a new one. */
  etag: string | null;
  /** The values of that state, or those that a new one begins with. */
  stored: T;
  valuesOf: (resource: R) => T;
  /** Sends the values, with the ETag of the state that they were edited from. */
  save: (values: T, condition: { ifMatch: string | undefined }) => Promise<{ data: R; etag: string | null }>;
  /** Reads again what the page shows, after saving and after an error. */
  readAgain: () => Promise<void>;
}

/**
 * The values of a resource that somebody edits, and saving them. Fields stay as they are meanwhile: what is edited after the click on Save
 * is not lost, it is still to be saved.
 */
export function useEditor<T extends object, R extends { id: string }>(options: Options<T, R>) {
  const { kind, id, etag, stored, valuesOf, readAgain } = options;
  const editor = useEdited<T>(`${kind} ${id ?? 'new'}`, { etag, values: stored });
  const { edited, restoredAtMs, from } = editor;
  const values = edited ?? stored;
  /** Whether somebody else has changed what is edited. Other changes, such as switching it off, do not concern the form. */
  const isStoredOtherwise = () => JSON.stringify(from?.values) !== JSON.stringify(stored);
  const isChanging = useIsChanging(kind, id ?? 'new');
  const saving = useMutation({
    mutationKey: keyOfChanges(kind, id ?? 'new'),
    mutationFn: async (sent: T) => {
      const ifMatch = (isStoredOtherwise() ? from?.etag : etag) ?? undefined;
      const saved = await options.save(sent, { ifMatch });
      await readAgain();
      const isAll = editor.saved(sent, {
        place: `${kind} ${saved.data.id}`,
        values: valuesOf(saved.data),
        etag: saved.etag,
      });
      return { resource: saved.data, isAll };
    },
    onError: readAgain,
  });
  const clearError = () => {
    if (!saving.isPending) {
      saving.reset();
    }
  };
  return {
    /** What was changed; null while nothing is. */
    edited,
    values,
    /** See `Edited`. */
    restoredAtMs,
    edit: (changed: Partial<T>) => editor.edit({ ...values, ...changed }),
    /** `onSaved` is told what is stored now, and whether nothing was edited meanwhile; it is not called when the form is gone. */
    save: (onSaved?: (resource: R, isAll: boolean) => void) =>
      saving.mutate(values, { onSuccess: ({ resource, isAll }) => onSaved?.(resource, isAll) }),
    /** Also while another change of the page is under way: both would begin from the same state. */
    isSaving: saving.isPending || isChanging,
    error: saving.error,
    /** Whether somebody else has changed meanwhile what was to be saved. */
    hasConflict: saving.error instanceof PlacardError && saving.error.status === 412 && isStoredOtherwise(),
    clearError,
    /** The next save overwrites what others have changed meanwhile. */
    keepMine: () => {
      editor.rebase();
      clearError();
    },
    discard: () => {
      editor.discard();
      clearError();
    },
  };
}
