import type { Asset } from '@placard/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useEdited } from '../api/edited.ts';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ConflictNote } from '../ui/conflict-note.tsx';
import { ErrorMessage, fieldErrors, isConflict } from '../ui/error-message.tsx';
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
  const editor = useEdited<Values>(`content ${asset.id}`, etag);
  const { edited, from } = editor;
  const values = edited ?? valuesOf(asset);
  const edit = (changed: Partial<Values>) => editor.edit({ ...values, ...changed });
  const readAgain = () => queries.invalidateQueries({ queryKey: ['content'] });
  const save = useMutation({
    mutationFn: ({ name, tags, folder }: Values) =>
      placard.content.update(
        asset.id,
        { name, tags: parseTags(tags), folder_id: folder === '' ? null : folder },
        { ...(from !== null && { ifMatch: from }) },
      ),
    onSuccess: async (saved) => {
      await readAgain();
      editor.discard();
      if (saved.folder_id !== asset.folder_id) {
        const folder = folders.get(saved.folder_id ?? '')?.name ?? texts.root;
        onMoved(saved, asset.folder_id, texts.moved(saved.name, folder));
      }
    },
    onError: readAgain,
  });
  const hasConflict = isConflict(save.error);
  const errors = fieldErrors(save.error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    save.mutate(values);
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
          onKeepMine={() => {
            editor.rebase();
            save.reset();
          }}
          onTakeTheirs={() => {
            editor.discard();
            save.reset();
          }}
        />
      )}
      <fieldset disabled={!mayWrite || save.isPending} className="contents">
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
      {save.error && !hasConflict && <ErrorMessage error={save.error} />}
      {edited !== null && !hasConflict && (
        <div className="flex gap-2">
          <Button look="primary" type="submit" isBusy={save.isPending}>
            {messages.save}
          </Button>
          <Button
            onClick={() => {
              editor.discard();
              save.reset();
            }}
          >
            {messages.cancel}
          </Button>
        </div>
      )}
    </form>
  );
}
