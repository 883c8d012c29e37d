import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { formTexts } from '../ui/form-texts.ts';
import { Panel } from '../ui/panel.tsx';
import { useTexts } from './settings-texts.ts';

/** A new password, for whoever knows the current one. */
export function PasswordPanel() {
  const messages = useMessages();
  const texts = useTexts();
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (body: { current_password: string; password: string }) =>
      placard.ownAccount.changePassword(body),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const { current = '', password = '' } = formTexts(form);
    change.mutate({ current_password: current, password }, { onSuccess: () => form.reset() });
  };
  return (
    <Panel title={messages.password}>
      <form className="flex max-w-md flex-col gap-3" onSubmit={submit}>
        <TextField
          label={texts.currentPassword}
          name="current"
          type="password"
          autoComplete="current-password"
          maxLength={128}
          required
        />
        <TextField
          label={messages.newPassword}
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={10}
          maxLength={128}
          required
          hint={messages.passwordHint}
          error={fieldErrors(change.error)['password']}
        />
        {change.error && <ErrorMessage error={change.error} />}
        <div>
          <Button type="submit" isBusy={change.isPending}>
            {texts.changePassword}
          </Button>
        </div>
        <p role="status" className="text-good">
          {change.isSuccess && texts.passwordChanged}
        </p>
      </form>
    </Panel>
  );
}

/** A form that asks for the password before something that changes how a person signs in. */
export function PasswordForm({
  label,
  action,
  children,
}: {
  /** Of its button. */
  label: string;
  action: { mutate: (password: string) => void; isPending: boolean; error: unknown };
  children?: ReactNode;
}) {
  const texts = useTexts();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    action.mutate(formTexts(event.currentTarget)['password'] ?? '');
  };
  return (
    <form className="flex max-w-md flex-col gap-3" onSubmit={submit}>
      {children}
      <TextField
        label={texts.currentPassword}
        name="password"
        type="password"
        autoComplete="current-password"
        maxLength={128}
        required
      />
      {action.error !== null && <ErrorMessage error={action.error} />}
      <div>
        <Button type="submit" isBusy={action.isPending}>
          {label}
        </Button>
      </div>
    </form>
  );
}
