import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { PlacardError } from '@placard/client';
import { useEffect, useState } from 'react';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { SignInLayout } from './sign-in-layout.tsx';

const readToken = (): string => location.hash.slice(1);

/** Signing in with a link: what is after `#` never reaches a log. */
export function SignInLinkPage() {
  const messages = useMessages();
  const [token, setToken] = useState(readToken);
  // Another link in the same tab changes this part of the address alone.
  useEffect(() => {
    const read = () => setToken(readToken());
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return (
    <SignInLayout title={messages.signIn}>
      <SignInWithLink key={token} token={token} />
    </SignInLayout>
  );
}

function SignInWithLink({ token }: { token: string }) {
  const messages = useMessages();
  const router = useRouter();
  const queries = useQueryClient();
  const link = useQuery({
    queryKey: ['sign-in-link', token],
    queryFn: async () => (await placard.request('POST /v1/auth/sign-in-link', { body: { token } })).data,
    staleTime: Infinity,
  });
  const signIn = useMutation({
    mutationFn: () => placard.request('POST /v1/auth/sign-in-with-link', { body: { token } }),
    onSuccess: async () => {
      queries.clear();
      // "Back" does not lead to a link that was used.
      await router.navigate({ to: '/devices', hash: '', replace: true });
    },
  });
  const error = signIn.error ?? link.error;
  if (error instanceof PlacardError && (error.code === 'LINK_EXPIRED' || token === '')) {
    return (
      <>
        <p role="alert" className="rounded-lg bg-bad-panel p-3 text-bad">
          {messages.signInLinkExpired}
        </p>
        <Link to="/devices" className="text-accent underline">
          {messages.toDevices}
        </Link>
      </>
    );
  }
  return (
    <>
      {link.isPending && <Skeleton className="h-9" />}
      {link.data && (
        <>
          <p className="[overflow-wrap:anywhere] text-muted">{link.data.email}</p>
          <Button
            look="primary"
            className="h-auto! min-h-9 py-1 whitespace-normal! pointer-coarse:min-h-11"
            autoFocus
            isBusy={signIn.isPending || signIn.isSuccess}
            onClick={() => signIn.mutate()}
          >
            <span className="min-w-0 [overflow-wrap:anywhere]">{messages.signInAs(link.data.name)}</span>
          </Button>
        </>
      )}
      {error && <ErrorMessage error={error} onRetry={link.error ? () => void link.refetch() : undefined} />}
    </>
  );
}
