import { useState } from 'react';
import type { ReactNode } from 'react';
import { useMessages } from '../i18n/language.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorMessage } from './error-message.tsx';

/** A button for what cannot be undone: asks once, naming the thing. */
export function ConfirmButton({
  label,
  question,
  hint,
  onConfirm,
}: {
  label: string;
  question: string;
  hint?: ReactNode;
  /** Rejects with the reason, which is shown in the dialog. */
  onConfirm: () => Promise<unknown>;
}) {
  const messages = useMessages();
  const [isOpen, setIsOpen] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const confirm = async () => {
    setIsBusy(true);
    setError(null);
    try {
      await onConfirm();
      setIsOpen(false);
    } catch (reason) {
      setError(reason);
    } finally {
      setIsBusy(false);
    }
  };
  const close = () => {
    setIsOpen(false);
    setError(null);
  };
  return (
    <>
      <Button look="danger" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        {label}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={question}>
        {hint !== undefined && <p className="text-muted">{hint}</p>}
        {error !== null && <ErrorMessage error={error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={close}>{messages.cancel}</Button>
          <Button look="danger" isBusy={isBusy} onClick={() => void confirm()}>
            {label}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
