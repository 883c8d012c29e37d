import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { formTexts } from '../ui/form-texts.ts';
import { SendForm } from '../ui/send-form.tsx';
import { SignInLayout } from './sign-in-layout.tsx';

/** Choosing a new password with a link. */
export function ResetPasswordPage() {
  const messages = useMessages();
  const [token] = useState(() => location.hash.slice(1));
  const reset = useMutation({
    mutationFn: (password: string) =>
      placard.request('POST /v1/auth/reset-password', { body: { token, password } }),
  });
  const submit = (form: HTMLFormElement) => reset.mutate(formTexts(form)['password'] ?? '');
  return (
    <SignInLayout title={messages.resetTitle}>
      {reset.isSuccess ? (
        <>
          <p role="status">{messages.resetDone}</p>
          <Link to="/sign-in" className="text-accent underline">
            {messages.signIn}
          </Link>
        </>
      ) : (
        <SendForm className="flex flex-col gap-4" isSending={reset.isPending} onSend={submit}>
          <TextField
            label={messages.newPassword}
            hint={messages.passwordHint}
            name="password"
            type="password"
            autoComplete="new-password"
            minLength={10}
            required
            autoFocus
          />
          {reset.error && <ErrorMessage error={reset.error} />}
          <Button look="primary" type="submit" isBusy={reset.isPending}>
            {messages.save}
          </Button>
        </SendForm>
      )}
    </SignInLayout>
  );
}
