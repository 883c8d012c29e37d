import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { formTexts } from '../ui/form-texts.ts';
import { SendForm } from '../ui/send-form.tsx';
import { SignInLayout } from './sign-in-layout.tsx';

/** Signing up with the link of an invitation: what is after `#` never reaches a log. */
export function InvitationPage() {
  const messages = useMessages();
  const [token] = useState(() => location.hash.slice(1));
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: async () => (await placard.request('POST /v1/auth/invitation', { body: { token } })).data,
    staleTime: Infinity,
  });
  const { data } = invitation;
  return (
    <SignInLayout title={data ? messages.invitedTo(data.organization) : messages.invitation}>
      {invitation.error && <ErrorMessage error={invitation.error} />}
      {invitation.isPending && <Skeleton className="h-48" />}
      {data && <SignUpForm token={token} email={data.email} role={data.role} />}
    </SignInLayout>
  );
}

function SignUpForm({ token, email, role }: { token: string; email: string | null; role: string }) {
  const messages = useMessages();
  const router = useRouter();
  const queries = useQueryClient();
  const accept = useMutation({
    mutationFn: (fields: Readonly<Record<string, string>>) =>
      placard.request('POST /v1/auth/accept-invitation', {
        body: {
          token,
          name: fields['name'] ?? '',
          password: fields['password'] ?? '',
          ...(email === null && { email: fields['email'] ?? '' }),
        },
      }),
    onSuccess: async () => {
      queries.clear();
      await router.navigate({ to: '/devices', hash: '' });
    },
  });
  const errors = fieldErrors(accept.error);
  const submit = (form: HTMLFormElement) => accept.mutate(formTexts(form));
  return (
    <SendForm className="flex flex-col gap-4" isSending={accept.isPending} onSend={submit}>
      <p className="text-muted">{messages.invitedAs(role)}</p>
      <TextField
        label={messages.email}
        name="email"
        type="email"
        autoComplete="username"
        required
        defaultValue={email ?? ''}
        readOnly={email !== null}
        error={errors['email']}
      />
      <TextField label={messages.name} name="name" autoComplete="name" required error={errors['name']} />
      <TextField
        label={messages.password}
        hint={messages.passwordHint}
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={10}
        required
        error={errors['password']}
      />
      {accept.error && <ErrorMessage error={accept.error} />}
      <Button look="primary" type="submit" isBusy={accept.isPending}>
        {messages.createAccount}
      </Button>
    </SendForm>
  );
}
