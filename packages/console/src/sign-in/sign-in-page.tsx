import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { formTexts } from '../ui/form-texts.ts';
import { SendForm } from '../ui/send-form.tsx';
import { OtherMethods } from './other-methods.tsx';
import { SignInLayout } from './sign-in-layout.tsx';

const route = getRouteApi('/sign-in');

/** Signing in with e-mail address and password, and a second factor if the person has one. */
export function SignInPage() {
  const messages = useMessages();
  const { to } = route.useSearch();
  const router = useRouter();
  const queries = useQueryClient();
  const [needsCode, setNeedsCode] = useState(false);
  const finish = async () => {
    queries.clear();
    await router.invalidate();
    if (to !== undefined && /^\/pair(?![^?])/.test(to)) {
      // A page of its own.
      location.assign(to);
    } else {
      router.history.push(to ?? '/devices');
    }
  };
  return (
    <SignInLayout title={messages.signIn}>
      {needsCode ? (
        <CodeForm onDone={finish} />
      ) : (
        <>
          <PasswordForm onCode={() => setNeedsCode(true)} onDone={finish} />
          <OtherMethods onDone={finish} />
        </>
      )}
    </SignInLayout>
  );
}

function PasswordForm({ onCode, onDone }: { onCode: () => void; onDone: () => Promise<void> }) {
  const messages = useMessages();
  const signIn = useMutation({
    mutationFn: (body: { email: string; password: string }) => placard.authentication.signIn(body),
    onSuccess: ({ second_factor_needed: needsCode }) => (needsCode ? onCode() : onDone()),
  });
  const submit = (form: HTMLFormElement) => {
    const { email = '', password = '' } = formTexts(form);
    signIn.mutate({ email, password });
  };
  return (
    <SendForm className="flex flex-col gap-4" isSending={signIn.isPending} onSend={submit}>
      <TextField
        label={messages.email}
        name="email"
        type="email"
        autoComplete="username"
        required
        autoFocus
      />
      <TextField
        label={messages.password}
        name="password"
        type="password"
        autoComplete="current-password"
        required
      />
      {signIn.error && <ErrorMessage error={signIn.error} />}
      <Button look="primary" type="submit" isBusy={signIn.isPending}>
        {messages.signIn}
      </Button>
      <p className="text-muted">{messages.lostAccess}</p>
    </SendForm>
  );
}

function CodeForm({ onDone }: { onDone: () => Promise<void> }) {
  const messages = useMessages();
  const [isBackup, setIsBackup] = useState(false);
  const verify = useMutation({
    mutationFn: (code: string) =>
      placard.request('POST /v1/auth/second-factor', { body: { code, is_backup_code: isBackup } }),
    onSuccess: onDone,
  });
  const submit = (form: HTMLFormElement) => verify.mutate(formTexts(form)['code'] ?? '');
  return (
    <SendForm className="flex flex-col gap-4" isSending={verify.isPending} onSend={submit}>
      <TextField
        key={String(isBackup)}
        label={isBackup ? messages.backupCode : messages.codeOfPhone}
        name="code"
        inputMode={isBackup ? 'text' : 'numeric'}
        autoComplete="one-time-code"
        required
        autoFocus
      />
      {verify.error && <ErrorMessage error={verify.error} />}
      <Button look="primary" type="submit" isBusy={verify.isPending}>
        {messages.signIn}
      </Button>
      <Button look="quiet" onClick={() => setIsBackup(!isBackup)}>
        {isBackup ? messages.usePhoneCode : messages.useBackupCode}
      </Button>
    </SendForm>
  );
}
