import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { ConfirmButton } from '../ui/confirm-dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { Panel } from '../ui/panel.tsx';
import { PasswordForm } from './password-panel.tsx';
import { RowItem, RowList } from '../ui/row-list.tsx';
import { useTexts } from './settings-texts.ts';

/** Asks the browser for a passkey, as the cloud wants it. */
async function makePasskey(name: string, password: string): Promise<void> {
  const options = await placard.ownAccount.startPasskey({ password });
  // What the API passes on is what this function of the browser reads and checks.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const json = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const made = await navigator.credentials.create({
    publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(json),
  });
  if (made instanceof PublicKeyCredential) {
    await placard.ownAccount.addPasskey({ name, response: { ...made.toJSON() } });
  }
}

/** The own passkeys. */
export function PasskeysPanel() {
  const texts = useTexts();
  const format = useFormat();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const methods = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => placard.authentication.getSignInMethods({ signal }),
    staleTime: Infinity,
  });
  const passkeys = useQuery({
    queryKey: ['passkeys'],
    queryFn: ({ signal }) => placard.ownAccount.listPasskeys({ signal }),
  });
  const readAgain = () => queries.invalidateQueries({ queryKey: ['passkeys'] });
  const add = useMutation({
    mutationFn: (password: string) => makePasskey(name, password),
    onSuccess: async () => {
      setName('');
      await readAgain();
    },
  });
  const isPossible = methods.data?.passkeys === true && 'PublicKeyCredential' in window;
  return (
    <Panel title={texts.passkeys}>
      <p className="text-muted">{texts.passkeysHint}</p>
      {passkeys.error && <ErrorMessage error={passkeys.error} onRetry={() => void passkeys.refetch()} />}
      {passkeys.data?.length === 0 && <p>{texts.noPasskeys}</p>}
      {passkeys.data && passkeys.data.length > 0 && (
        <RowList label={texts.passkeys}>
          {passkeys.data.map((passkey) => (
            <RowItem
              key={passkey.id}
              title={passkey.name ?? texts.unnamed}
              facts={[texts.created(format.instant(passkey.created_at))]}
            >
              <ConfirmButton
                label={texts.remove}
                question={texts.removePasskey(passkey.name ?? texts.unnamed)}
                hint={texts.notUndone}
                onConfirm={async () => {
                  await placard.ownAccount.removePasskey(passkey.id);
                  await readAgain();
                }}
              />
            </RowItem>
          ))}
        </RowList>
      )}
      {isPossible && (
        <PasswordForm label={texts.addPasskey} action={add}>
          <TextField
            label={texts.passkeyName}
            value={name}
            onChange={(event) => setName(event.target.value)}
            maxLength={200}
            required
          />
        </PasswordForm>
      )}
      {methods.data?.passkeys === false && <p className="text-muted">{texts.passkeysNotHere}</p>}
    </Panel>
  );
}
