import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';

/** What the address ends with when the company's server, or the cloud, has let nobody in. */
const REFUSED = '#company-refused';

/** Asks the browser for a passkey, and signs in with it. Returns false when the person has chosen none. */
async function signInWithPasskey(): Promise<boolean> {
  const options = await placard.authentication.getPasskeyChallenge();
  // What the API passes on is what this function of the browser reads and checks.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const json = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(json);
  const chosen = await navigator.credentials.get({ publicKey }).catch((error: unknown) => {
    // Also when the person closes the dialog of the browser, which has said why.
    if (error instanceof DOMException && error.name === 'NotAllowedError') {
      return null;
    }
    throw error;
  });
  if (!(chosen instanceof PublicKeyCredential)) {
    return false;
  }
  await placard.authentication.signInWithPasskey({ response: { ...chosen.toJSON() } });
  return true;
}

/** Signing in without a password of the cloud: those ways that the cloud and the browser have. */
export function OtherMethods({ onDone }: { onDone: () => Promise<void> }) {
  const messages = useMessages();
  const [isRefused, setRefused] = useState(location.hash === REFUSED);
  // The console is there already when somebody comes back to it with "back".
  useEffect(() => {
    const read = () => setRefused(location.hash === REFUSED);
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  const { data } = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => placard.authentication.getSignInMethods({ signal }),
    staleTime: Infinity,
  });
  const passkey = useMutation({
    mutationFn: signInWithPasskey,
    onSuccess: (isSignedIn) => (isSignedIn ? onDone() : undefined),
  });
  const company = useMutation({
    mutationFn: () => placard.authentication.startCompanySignIn(),
    onSuccess: ({ url }) => location.assign(url),
  });
  const hasPasskeys = data?.passkeys === true && 'PublicKeyCredential' in window;
  if (!hasPasskeys && !data?.company && !isRefused) {
    return null;
  }
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-5">
      {isRefused && (
        <p role="alert" className="rounded-lg bg-bad-panel p-3 text-bad">
          {messages.companyRefused}
        </p>
      )}
      {data?.company && (
        <Button
          className="h-auto! min-h-9 py-1 whitespace-normal! pointer-coarse:min-h-11"
          isBusy={company.isPending || company.isSuccess}
          onClick={() => company.mutate()}
        >
          {messages.signInWith(data.company.name)}
        </Button>
      )}
      {company.error && <ErrorMessage error={company.error} />}
      {hasPasskeys && (
        <Button isBusy={passkey.isPending} onClick={() => passkey.mutate()}>
          {messages.signInWithPasskey}
        </Button>
      )}
      {passkey.error && <ErrorMessage error={passkey.error} />}
    </div>
  );
}
