import type { Folder } from '@placard/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay, useMayInAllStores } from '../api/account.ts';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { formTexts } from '../ui/form-texts.ts';
import { SendForm } from '../ui/send-form.tsx';
import { folderChoices, pathOf } from './content-queries.ts';
import type { Folders } from './content-queries.ts';
import { useTexts } from './texts.ts';

const CHIP =
  'inline-flex h-9 max-w-60 items-center gap-2 rounded-lg border border-line bg-panel px-3 hover:bg-raised pointer-coarse:h-11';

/** Where the person is, the folders in it, and what can be done with them. */
export function FolderBar({
  folders,
  current,
  onOpen,
}: {
  folders: Folders;
  current: string | undefined;
  onOpen: (id: string | undefined) => void;
}) {
  const texts = useTexts();
  const mayWrite = useMayInAllStores('Write');
  const [edited, setEdited] = useState<'new' | 'current' | null>(null);
  const path = pathOf(folders, current);
  const inside = [...folders.values()].filter(({ parent_id }) => (parent_id ?? undefined) === current);
  const folder = path.at(-1);
  return (
    <nav aria-label={texts.folders} className="mb-3 flex flex-col gap-2">
      <ol className="flex min-h-9 flex-wrap items-center gap-x-2">
        <li>
          <Crumb name={texts.root} isHere={current === undefined} onOpen={() => onOpen(undefined)} />
        </li>
        {path.map(({ id, name }) => (
          <li key={id} className="flex min-w-0 items-center gap-2">
            <span aria-hidden className="text-muted">
              /
            </span>
            <Crumb name={name} isHere={id === current} onOpen={() => onOpen(id)} />
          </li>
        ))}
        {mayWrite && folder && (
          <li>
            <Button look="quiet" aria-label={texts.renameFolder} onClick={() => setEdited('current')}>
              ✎
            </Button>
          </li>
        )}
      </ol>
      <ul className="flex flex-wrap gap-2">
        {inside.map(({ id, name }) => (
          <li key={id} className="min-w-0">
            <button type="button" onClick={() => onOpen(id)} className={CHIP}>
              <FolderIcon />
              <span title={name} className="truncate">
                {name}
              </span>
            </button>
          </li>
        ))}
        {mayWrite && (
          <li>
            <Button look="quiet" onClick={() => setEdited('new')}>
              + {texts.newFolder}
            </Button>
          </li>
        )}
      </ul>
      {edited !== null && (
        <FolderDialog
          folder={edited === 'current' ? (folder ?? null) : null}
          parentId={edited === 'current' ? (folder?.parent_id ?? undefined) : current}
          folders={folders}
          onClose={() => setEdited(null)}
          onDeleted={() => onOpen(folder?.parent_id ?? undefined)}
        />
      )}
    </nav>
  );
}

function Crumb({ name, isHere, onOpen }: { name: string; isHere: boolean; onOpen: () => void }) {
  return (
    <button
      type="button"
      aria-current={isHere ? 'location' : undefined}
      onClick={onOpen}
      className={`max-w-60 truncate rounded px-1 hover:underline ${isHere ? 'font-semibold' : 'text-muted'}`}
    >
      {name}
    </button>
  );
}

/** Makes a folder, or renames, moves or deletes one. Only an empty one can be deleted, so nothing is lost with it. */
function FolderDialog({
  folder,
  parentId,
  folders,
  onClose,
  onDeleted,
}: {
  folder: Folder | null;
  parentId: string | undefined;
  folders: Folders;
  onClose: () => void;
  onDeleted: () => void;
}) {
  const texts = useTexts();
  const messages = useMessages();
  const queries = useQueryClient();
  const mayDelete = useMay('Admin');
  const done = async () => {
    await queries.invalidateQueries({ queryKey: ['content', 'folders'] });
    onClose();
  };
  const save = useMutation({
    mutationFn: ({ name, parent_id }: { name: string; parent_id: string | null }) =>
      folder
        ? placard.folders.update(folder.id, { name, parent_id })
        : placard.folders.create({ name, parent_id }),
    onSuccess: done,
  });
  const remove = useMutation({
    mutationFn: (id: string) => placard.folders.delete(id),
    onSuccess: async () => {
      onDeleted();
      await done();
    },
  });
  const submit = (form: HTMLFormElement) => {
    const { name = '', parent = '' } = formTexts(form);
    save.mutate({ name, parent_id: parent === '' ? null : parent });
  };
  const error = save.error ?? remove.error;
  return (
    <Dialog isOpen onClose={onClose} title={folder ? texts.renameFolder : texts.newFolder}>
      <SendForm
        className="flex flex-col gap-4"
        isSending={save.isPending || remove.isPending}
        onSend={submit}
      >
        <TextField
          label={texts.folderName}
          name="name"
          defaultValue={folder?.name ?? ''}
          maxLength={200}
          required
          autoFocus
        />
        <SelectField label={texts.parent} name="parent" defaultValue={parentId ?? ''}>
          <option value="">{texts.root}</option>
          {folderChoices(folders, folder?.id).map(([id, path]) => (
            <option key={id} value={id}>
              {path}
            </option>
          ))}
        </SelectField>
        {error && <ErrorMessage error={error} />}
        <div className="flex flex-wrap justify-between gap-2">
          <Button look="primary" type="submit" isBusy={save.isPending}>
            {folder ? messages.save : texts.create}
          </Button>
          {folder && mayDelete && (
            <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate(folder.id)}>
              {texts.deleteFolder}
            </Button>
          )}
        </div>
      </SendForm>
    </Dialog>
  );
}

function FolderIcon() {
  return (
    <svg
      aria-hidden
      viewBox="0 0 16 16"
      className="size-4 shrink-0 fill-none stroke-current text-muted"
      strokeWidth="1.5"
    >
      <path d="M1.75 4v8c0 .7.5 1.25 1.25 1.25h10c.7 0 1.25-.5 1.25-1.25V6c0-.7-.5-1.25-1.25-1.25H8L6.5 2.75H3c-.7 0-1.25.5-1.25 1.25Z" />
    </svg>
  );
}
