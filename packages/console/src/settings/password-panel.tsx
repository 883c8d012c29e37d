import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { formTexts } from '../ui/form-texts.ts';
import { Panel } from '../ui/panel.tsx';
import { SendForm } from '../ui/send-form.tsx';
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
  const submit = (form: HTMLFormElement) => {
    const { current = '', password = '' } = formTexts(form);
    change.mutate({ current_password: current, password }, { onSuccess: () => form.reset() });
  };
  return (
    <Panel title={messages.password}>
      <SendForm className="flex max-w-md flex-col gap-3" isSending={change.isPending} onSend={submit}>
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
      </SendForm>
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
  const submit = (form: HTMLFormElement) => action.mutate(formTexts(form)['password'] ?? '');
  return (
    <SendForm className="flex max-w-md flex-col gap-3" isSending={action.isPending} onSend={submit}>
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
    </SendForm>
  );
}
