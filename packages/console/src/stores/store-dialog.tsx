import type { Body } from '@placard/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { useEdited } from '../api/edited.ts';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ConflictNote } from '../ui/conflict-note.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage, fieldErrors, isConflict } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { formTexts } from '../ui/form-texts.ts';
import { Skeleton } from '../ui/panel.tsx';
import { RestoredNote } from '../ui/restored-note.tsx';
import { storeQuery } from './store-queries.ts';
import type { Store } from './store-queries.ts';
import { useTexts } from './texts.ts';

const OPTIONAL = ['address', 'city', 'region', 'country', 'contact', 'timezone'] as const;

/** A form for a new store, or for the one with this id. */
export function StoreDialog({ id, onClose }: { id: string | null; onClose: () => void }) {
  const texts = useTexts();
  const found = useQuery({ ...storeQuery(id ?? ''), enabled: id !== null });
  return (
    <Dialog isOpen onClose={onClose} title={id === null ? texts.addStore : texts.editStore}>
      {id !== null && found.isPending && <Skeleton className="h-96" />}
      {found.error && !found.data && <ErrorMessage error={found.error} />}
      {(id === null || found.data) && (
        <StoreForm store={found.data?.store ?? null} etag={found.data?.etag ?? null} onClose={onClose} />
      )}
    </Dialog>
  );
}

const described = (store: Store): string =>
  [store.name, ...OPTIONAL.map((name) => store[name]), ...store.tags]
    .filter((part) => part !== null && part !== '')
    .join(' · ');

function bodyOf(form: HTMLFormElement): Body<'createStore'> {
  const values = formTexts(form);
  const optional = Object.fromEntries(
    OPTIONAL.map((name) => [name, values[name]?.trim() === '' ? null : values[name]]),
  );
  const tags = (values['tags'] ?? '').split(',').map((tag) => tag.trim());
  return { name: values['name'] ?? '', ...optional, tags: tags.filter((tag) => tag !== '') };
}

function StoreForm({
  store,
  etag,
  onClose,
}: {
  store: Store | null;
  etag: string | null;
  onClose: () => void;
}) {
  const messages = useMessages();
  const texts = useTexts();
  const queries = useQueryClient();
  const editor = useEdited<Readonly<Record<string, string>>>(`store ${store?.id ?? 'new'}`, etag);
  // What is typed is in the fields themselves; these are new ones when it is given up.
  const [{ values, nth }, setFields] = useState({ values: editor.edited, nth: 0 });
  const discard = () => {
    editor.discard();
    setFields({ values: null, nth: nth + 1 });
  };
  const close = () => {
    editor.discard();
    onClose();
  };
  const save = useMutation({
    mutationFn: (body: Body<'createStore'>) =>
      store === null
        ? placard.stores.create(body)
        : placard.stores.update(store.id, body, { ...(editor.from !== null && { ifMatch: editor.from }) }),
    onSuccess: close,
    onSettled: () => queries.invalidateQueries({ queryKey: ['stores'] }),
  });
  const hasConflict = isConflict(save.error);
  const errors = fieldErrors(save.error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    save.mutate(bodyOf(event.currentTarget));
  };
  return (
    <form
      key={nth}
      className="flex flex-col gap-3"
      onSubmit={submit}
      onChange={(event) => editor.edit(formTexts(event.currentTarget))}
    >
      <RestoredNote atMs={editor.restoredAtMs} onDiscard={discard} />
      {hasConflict && store && (
        <ConflictNote
          theirs={[described(store)]}
          onKeepMine={() => {
            editor.rebase();
            save.reset();
          }}
          onTakeTheirs={() => {
            discard();
            save.reset();
          }}
        />
      )}
      <TextField
        label={messages.name}
        name="name"
        required
        autoFocus
        maxLength={200}
        defaultValue={values?.['name'] ?? store?.name}
        error={errors['name']}
      />
      {OPTIONAL.map((name) => (
        <TextField
          key={name}
          label={texts[name]}
          name={name}
          maxLength={name === 'timezone' ? 100 : 200}
          defaultValue={values?.[name] ?? store?.[name] ?? ''}
          error={errors[name]}
          {...(name === 'timezone' && { list: 'time-zones', hint: texts.timezoneHint })}
        />
      ))}
      <datalist id="time-zones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <TextField
        label={messages.tags}
        name="tags"
        hint={texts.tagsHint}
        defaultValue={values?.['tags'] ?? store?.tags.join(', ')}
        error={errors['tags']}
      />
      {save.error && !hasConflict && <ErrorMessage error={save.error} />}
      <div className="flex gap-2">
        <Button look="primary" type="submit" isBusy={save.isPending} disabled={hasConflict}>
          {messages.save}
        </Button>
        <Button onClick={close}>{messages.cancel}</Button>
      </div>
    </form>
  );
}
