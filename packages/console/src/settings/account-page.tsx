import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { accountQuery, useAccount } from '../api/account.ts';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { formTexts } from '../ui/form-texts.ts';
import { Facts, Panel } from '../ui/panel.tsx';
import { PasskeysPanel } from './passkeys-panel.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { SecondFactorPanel } from './second-factor-panel.tsx';
import { OwnSessionsPanel } from './sessions-panel.tsx';
import { SettingsPage } from './settings-page.tsx';
import { useTexts } from './settings-texts.ts';

/** The person's own name, and how they sign in. */
export function AccountPage() {
  const { has_second_factor: hasSecondFactor } = useAccount();
  return (
    <SettingsPage name="account">
      {() => (
        <>
          <NamePanel />
          <PasswordPanel />
          <SecondFactorPanel isOn={hasSecondFactor} />
          <PasskeysPanel />
          <OwnSessionsPanel />
        </>
      )}
    </SettingsPage>
  );
}

function NamePanel() {
  const messages = useMessages();
  const texts = useTexts();
  const format = useFormat();
  const queries = useQueryClient();
  const { name, email, role, stores } = useAccount();
  const save = useMutation({
    mutationFn: (to: string) => placard.ownAccount.update({ name: to }),
    onSuccess: () => queries.invalidateQueries({ queryKey: accountQuery.queryKey }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    save.mutate(formTexts(event.currentTarget)['name'] ?? '');
  };
  return (
    <Panel title={texts.sections.account}>
      <Facts
        facts={[
          [messages.email, email ?? '–'],
          [texts.role, role ?? '–'],
          [
            texts.stores,
            stores === null
              ? texts.allStores
              : stores.map((store) => store.name).join(', ') || format.number(0),
          ],
        ]}
      />
      <form className="flex max-w-md flex-col gap-3" onSubmit={submit}>
        <TextField
          label={texts.yourName}
          name="name"
          defaultValue={name}
          autoComplete="name"
          maxLength={200}
          required
          error={fieldErrors(save.error)['name']}
        />
        {save.error && <ErrorMessage error={save.error} />}
        <div className="flex items-center gap-3">
          <Button type="submit" isBusy={save.isPending}>
            {messages.save}
          </Button>
          <span role="status" className="text-muted">
            {save.isSuccess && `✓ ${messages.saved}`}
          </span>
        </div>
      </form>
    </Panel>
  );
}
