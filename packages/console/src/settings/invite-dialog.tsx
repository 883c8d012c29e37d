import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { formTexts } from '../ui/form-texts.ts';
import { AccessFields } from './access-fields.tsx';
import type { Access } from './access-fields.tsx';
import { SecretNote } from './secret-note.tsx';
import { useTexts } from './settings-texts.ts';

const FIRST: Access = { role: 'Editor', stores: null };

/** Makes a link with which a person signs up. */
export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const messages = useMessages();
  const texts = useTexts();
  const queries = useQueryClient();
  const [access, setAccess] = useState(FIRST);
  const invite = useMutation({
    mutationFn: (email: string) =>
      placard.people.createInvitation({
        role: access.role,
        stores: access.stores === null ? null : [...access.stores],
        ...(email !== '' && { email }),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['invitations'] }),
  });
  const close = () => {
    invite.reset();
    setAccess(FIRST);
    onClose();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    invite.mutate((formTexts(event.currentTarget)['email'] ?? '').trim());
  };
  const errors = fieldErrors(invite.error);
  return (
    <Dialog isOpen={isOpen} onClose={close} title={texts.inviteTitle}>
      <p className="text-muted">{texts.inviteHint}</p>
      {invite.data ? (
        <>
          <SecretNote label={texts.inviteTitle} value={invite.data.url} />
          <Button onClick={close}>{messages.close}</Button>
        </>
      ) : (
        <form className="flex flex-col gap-3" onSubmit={submit}>
          <TextField
            label={texts.emailOptional}
            hint={texts.emailHint}
            name="email"
            type="email"
            maxLength={254}
            autoComplete="off"
            error={errors['email']}
          />
          <AccessFields value={access} onChange={setAccess} error={errors['role'] ?? errors['stores']} />
          {invite.error && <ErrorMessage error={invite.error} />}
          <Button look="primary" type="submit" isBusy={invite.isPending}>
            {texts.makeLink}
          </Button>
        </form>
      )}
    </Dialog>
  );
}
