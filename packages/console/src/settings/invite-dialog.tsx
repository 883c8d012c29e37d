import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEdited } from '../api/edited.ts';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { RestoredNote } from '../ui/restored-note.tsx';
import { SendForm } from '../ui/send-form.tsx';
import { AccessFields } from './access-fields.tsx';
import type { Access } from './access-fields.tsx';
import { SecretNote } from './secret-note.tsx';
import { useTexts } from './settings-texts.ts';

const FIRST: Access & { email: string } = { role: 'Editor', stores: null, email: '' };

/** Makes a link with which a person signs up. */
export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const messages = useMessages();
  const texts = useTexts();
  const queries = useQueryClient();
  const editor = useEdited<Access & { email: string }>('invitation new', null);
  const values = editor.edited ?? FIRST;
  const invite = useMutation({
    mutationFn: ({ role, stores, email }: typeof values) =>
      placard.people.createInvitation({
        role,
        stores: stores === null ? null : [...stores],
        ...(email.trim() !== '' && { email: email.trim() }),
      }),
    onSuccess: () => {
      editor.discard();
      return queries.invalidateQueries({ queryKey: ['invitations'] });
    },
  });
  const close = () => {
    invite.reset();
    editor.discard();
    onClose();
  };
  const submit = () => invite.mutate(values);
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
        <SendForm className="flex flex-col gap-3" isSending={invite.isPending} onSend={submit}>
          <RestoredNote atMs={editor.restoredAtMs} onDiscard={editor.discard} />
          <TextField
            label={texts.emailOptional}
            hint={texts.emailHint}
            name="email"
            type="email"
            maxLength={254}
            autoComplete="off"
            value={values.email}
            onChange={(event) => editor.edit({ ...values, email: event.target.value })}
            error={errors['email']}
          />
          <AccessFields
            value={values}
            onChange={(access) => editor.edit({ ...values, ...access })}
            error={errors['role'] ?? errors['stores']}
          />
          {invite.error && <ErrorMessage error={invite.error} />}
          <Button look="primary" type="submit" isBusy={invite.isPending}>
            {texts.makeLink}
          </Button>
        </SendForm>
      )}
    </Dialog>
  );
}
