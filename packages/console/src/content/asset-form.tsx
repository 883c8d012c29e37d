import type { Asset } from '@placard/client';
import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useEditor } from '../api/editor.ts';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ConflictNote } from '../ui/conflict-note.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { RestoredNote } from '../ui/restored-note.tsx';
import { folderChoices } from './content-queries.ts';
import type { Folders } from './content-queries.ts';
import { useTexts } from './texts.ts';

interface Values {
  name: string;
  tags: string;
  folder: string;
}

const valuesOf = (asset: Asset): Values => ({
  name: asset.name,
  tags: asset.tags.join(', '),
  folder: asset.folder_id ?? '',
});
const parseTags = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');

/** Name, tags and folder. A change by somebody else meanwhile is shown before it is overwritten. */
export function AssetForm({
  asset,
  etag,
  folders,
  mayWrite,
  onMoved,
}: {
  asset: Asset;
  etag: string | null;
  folders: Folders;
  mayWrite: boolean;
  onMoved: (asset: Asset, from: string | null, text: string) => void;
}) {
  const texts = useTexts();
  const messages = useMessages();
  const queries = useQueryClient();
  const editor = useEditor({
    kind: 'content',
    id: asset.id,
    etag,
    stored: valuesOf(asset),
    valuesOf,
    save: async ({ name, tags, folder }, condition) => {
      const saved = await placard.request('PATCH /v1/content/{id}', {
        path: { id: asset.id },
        body: { name, tags: parseTags(tags), folder_id: folder === '' ? null : folder },
        ...condition,
      });
      if (saved.data.folder_id !== asset.folder_id) {
        const to = folders.get(saved.data.folder_id ?? '')?.name ?? texts.root;
        onMoved(saved.data, asset.folder_id, texts.moved(saved.data.name, to));
      }
      return saved;
    },
    readAgain: () => queries.invalidateQueries({ queryKey: ['content'] }),
  });
  const { values, edit, hasConflict } = editor;
  const errors = fieldErrors(editor.error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    editor.save();
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={submit}>
      <RestoredNote atMs={editor.restoredAtMs} onDiscard={editor.discard} />
      {hasConflict && (
        <ConflictNote
          theirs={[
            asset.name,
            asset.tags.join(', '),
            folders.get(asset.folder_id ?? '')?.name ?? texts.noFolder,
          ]}
          onKeepMine={editor.keepMine}
          onTakeTheirs={editor.discard}
        />
      )}
      <fieldset disabled={!mayWrite} className="contents">
        <TextField
          label={texts.name}
          value={values.name}
          maxLength={200}
          required
          onChange={(event) => edit({ name: event.target.value })}
          error={errors['name']}
        />
        <TextField
          label={texts.tags}
          hint={texts.tagsHint}
          value={values.tags}
          onChange={(event) => edit({ tags: event.target.value })}
          error={errors['tags']}
        />
        <SelectField
          label={texts.folder}
          value={values.folder}
          onChange={(event) => edit({ folder: event.target.value })}
          error={errors['folder_id']}
        >
          <option value="">{texts.noFolder}</option>
          {folderChoices(folders).map(([id, path]) => (
            <option key={id} value={id}>
              {path}
            </option>
          ))}
        </SelectField>
      </fieldset>
      {editor.error && !hasConflict && <ErrorMessage error={editor.error} />}
      {editor.edited !== null && !hasConflict && (
        <div className="flex gap-2">
          <Button look="primary" type="submit" isBusy={editor.isSaving}>
            {messages.save}
          </Button>
          <Button onClick={editor.discard}>{messages.cancel}</Button>
        </div>
      )}
    </form>
  );
}
