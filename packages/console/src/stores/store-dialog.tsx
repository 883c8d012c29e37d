import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ChangeEvent, FormEvent } from 'react';
import { useEditor } from '../api/editor.ts';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ConflictNote } from '../ui/conflict-note.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { RestoredNote } from '../ui/restored-note.tsx';
import { storeQuery } from './store-queries.ts';
import type { Store } from './store-queries.ts';
import { useTexts } from './texts.ts';

const OPTIONAL = ['address', 'city', 'region', 'country', 'contact', 'timezone'] as const;

/** As they are typed: tags are separated by commas. */
type Values = Record<'name' | (typeof OPTIONAL)[number] | 'tags', string>;

/** A form for a new store, or for the one with this id. */
export function StoreDialog({
  id,
  onOpen,
  onClose,
}: {
  id: string | null;
  /** Opens the store that was added, when it was edited further meanwhile. */
  onOpen: (id: string) => void;
  onClose: () => void;
}) {
  const texts = useTexts();
  const found = useQuery({ ...storeQuery(id ?? ''), enabled: id !== null });
  return (
    <Dialog isOpen onClose={onClose} title={id === null ? texts.addStore : texts.editStore}>
      {id !== null && found.isPending && <Skeleton className="h-96" />}
      {found.error && !found.data && <ErrorMessage error={found.error} />}
      {(id === null || found.data) && (
        <StoreForm
          store={found.data?.store ?? null}
          etag={found.data?.etag ?? null}
          onOpen={onOpen}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

const described = (store: Store): string =>
  [store.name, ...OPTIONAL.map((name) => store[name]), ...store.tags]
    .filter((part) => part !== null && part !== '')
    .join(' · ');

const valuesOf = (store: Store | null): Values => ({
  name: store?.name ?? '',
  address: store?.address ?? '',
  city: store?.city ?? '',
  region: store?.region ?? '',
  country: store?.country ?? '',
  contact: store?.contact ?? '',
  timezone: store?.timezone ?? '',
  tags: store?.tags.join(', ') ?? '',
});

function bodyOf(values: Values) {
  const optional = Object.fromEntries(
    OPTIONAL.map((name) => [name, values[name].trim() === '' ? null : values[name]]),
  );
  const tags = values.tags.split(',').map((tag) => tag.trim());
  return { name: values.name, ...optional, tags: tags.filter((tag) => tag !== '') };
}

function StoreForm({
  store,
  etag,
  onOpen,
  onClose,
}: {
  store: Store | null;
  etag: string | null;
  onOpen: (id: string) => void;
  onClose: () => void;
}) {
  const messages = useMessages();
  const texts = useTexts();
  const queries = useQueryClient();
  const editor = useEditor<Values, Store>({
    kind: 'store',
    id: store?.id ?? null,
    etag,
    stored: valuesOf(store),
    valuesOf,
    save: (values, condition) => {
      const body = bodyOf(values);
      return store === null
        ? placard.request('POST /v1/stores', { body })
        : placard.request('PATCH /v1/stores/{id}', { path: { id: store.id }, body, ...condition });
    },
    readAgain: () => queries.invalidateQueries({ queryKey: ['stores'] }),
  });
  const { hasConflict } = editor;
  const errors = fieldErrors(editor.error);
  const field = (name: keyof Values) => ({
    name,
    value: editor.values[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => editor.edit({ [name]: event.target.value }),
    error: errors[name],
  });
  const close = () => {
    editor.discard();
    onClose();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    editor.save(({ id }, isAll) => (isAll ? onClose() : onOpen(id)));
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={submit}>
      <RestoredNote atMs={editor.restoredAtMs} onDiscard={editor.discard} />
      {hasConflict && store && (
        <ConflictNote
          theirs={[described(store)]}
          onKeepMine={editor.keepMine}
          onTakeTheirs={editor.discard}
        />
      )}
      <TextField label={messages.name} required autoFocus maxLength={200} {...field('name')} />
      {OPTIONAL.map((name) => (
        <TextField
          key={name}
          label={texts[name]}
          maxLength={name === 'timezone' ? 100 : 200}
          {...field(name)}
          {...(name === 'timezone' && { list: 'time-zones', hint: texts.timezoneHint })}
        />
      ))}
      <datalist id="time-zones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <TextField label={messages.tags} hint={texts.tagsHint} {...field('tags')} />
      {editor.error && !hasConflict && <ErrorMessage error={editor.error} />}
      <div className="flex gap-2">
        <Button look="primary" type="submit" isBusy={editor.isSaving} disabled={hasConflict}>
          {messages.save}
        </Button>
        <Button onClick={close}>{messages.cancel}</Button>
      </div>
    </form>
  );
}
