import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { formTexts } from '../ui/form-texts.ts';

/** Pairs the screen that shows a code. */
export function PairDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const messages = useMessages();
  const queries = useQueryClient();
  const pair = useMutation({
    mutationFn: (body: { code: string; name?: string }) => placard.devices.pair(body),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['device-counts'] });
      await queries.invalidateQueries({ queryKey: ['devices'] });
    },
  });
  const close = () => {
    pair.reset();
    onClose();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { code = '', name = '' } = formTexts(event.currentTarget);
    pair.mutate({ code, ...(name.trim() !== '' && { name }) });
  };
  const errors = fieldErrors(pair.error);
  return (
    <Dialog isOpen={isOpen} onClose={close} title={messages.pairTitle}>
      {pair.data ? (
        <>
          <p role="status">{messages.pairDone(pair.data.name)}</p>
          <div className="flex gap-2">
            <Link
              to="/devices/$deviceId"
              params={{ deviceId: pair.data.id }}
              className="inline-flex h-9 items-center rounded-lg bg-accent px-3 font-medium text-on-accent hover:bg-accent-strong"
            >
              {pair.data.name}
            </Link>
            <Button onClick={() => pair.reset()}>{messages.pairDevice}</Button>
          </div>
        </>
      ) : (
        <form className="flex flex-col gap-4" onSubmit={submit}>
          <TextField
            label={messages.pairCode}
            hint={messages.pairCodeHint}
            name="code"
            autoCapitalize="characters"
            autoComplete="off"
            spellCheck={false}
            required
            autoFocus
            maxLength={20}
            className="font-mono text-lg tracking-[0.3em] uppercase"
            error={errors['code']}
          />
          <TextField label={messages.pairName} name="name" maxLength={200} error={errors['name']} />
          {pair.error && <ErrorMessage error={pair.error} />}
          <Button look="primary" type="submit" isBusy={pair.isPending}>
            {messages.pairSubmit}
          </Button>
        </form>
      )}
    </Dialog>
  );
}
