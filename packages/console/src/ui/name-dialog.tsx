import { useMessages } from '../i18n/language.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorMessage, fieldErrors } from './error-message.tsx';
import { TextField } from './field.tsx';
import { RestoredNote } from './restored-note.tsx';
import { SendForm } from './send-form.tsx';

/** Asks for the name of something new. */
export function NameDialog({
  title,
  action,
  typed,
  onClose,
}: {
  title: string;
  /** What the button says. */
  action: string;
  /** See `useNewName`. */
  typed: {
    name: string;
    restoredAtMs: number | null;
    error: Error | null;
    isBusy: boolean;
    edit: (name: string) => void;
    discard: () => void;
    create: () => void;
  };
  onClose: () => void;
}) {
  const messages = useMessages();
  const close = () => {
    typed.discard();
    onClose();
  };
  return (
    <Dialog isOpen onClose={close} title={title}>
      <SendForm className="flex flex-col gap-4" isSending={typed.isBusy} onSend={typed.create}>
        <RestoredNote atMs={typed.restoredAtMs} onDiscard={typed.discard} />
        <TextField
          label={messages.name}
          name="name"
          required
          autoFocus
          maxLength={200}
          value={typed.name}
          onChange={(event) => typed.edit(event.target.value)}
          error={fieldErrors(typed.error)['name']}
        />
        {typed.error && <ErrorMessage error={typed.error} />}
        <Button look="primary" type="submit" isBusy={typed.isBusy}>
          {action}
        </Button>
      </SendForm>
    </Dialog>
  );
}
