import { useMutation } from '@tanstack/react-query';
import { useEdited } from '../api/edited.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorMessage, fieldErrors } from './error-message.tsx';
import { TextField } from './field.tsx';
import { RestoredNote } from './restored-note.tsx';

/** Asks for the name of something new, and creates it. What is typed outlives a reload. */
export function NameDialog({
  place,
  title,
  action,
  onCreate,
  onClose,
}: {
  /** Tells the form from all others; see `useEdited`. */
  place: string;
  title: string;
  /** What the button says. */
  action: string;
  onCreate: (name: string) => Promise<void>;
  onClose: () => void;
}) {
  const messages = useMessages();
  const editor = useEdited<string>(place, null);
  const name = editor.edited ?? '';
  const create = useMutation({
    mutationFn: () => onCreate(name),
    onSuccess: editor.discard,
  });
  const close = () => {
    editor.discard();
    onClose();
  };
  return (
    <Dialog isOpen onClose={close} title={title}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <RestoredNote atMs={editor.restoredAtMs} onDiscard={editor.discard} />
        <TextField
          label={messages.name}
          name="name"
          required
          autoFocus
          maxLength={200}
          value={name}
          onChange={(event) => editor.edit(event.target.value)}
          error={fieldErrors(create.error)['name']}
        />
        {create.error && <ErrorMessage error={create.error} />}
        <Button look="primary" type="submit" isBusy={create.isPending}>
          {action}
        </Button>
      </form>
    </Dialog>
  );
}
