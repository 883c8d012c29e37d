import type { ApiKey } from '@placard/client';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ChangeEvent } from 'react';
import { useEdited } from '../api/edited.ts';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-dialog.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Panel } from '../ui/panel.tsx';
import { RestoredNote } from '../ui/restored-note.tsx';
import { ListPages, listPages } from './list-pages.tsx';
import { RowItem, RowList } from '../ui/row-list.tsx';
import { SendForm } from '../ui/send-form.tsx';
import { SecretNote } from './secret-note.tsx';
import { SettingsPage } from './settings-page.tsx';
import { useTexts } from './settings-texts.ts';

const route = getRouteApi('/signed-in/settings/api-keys');
const SCOPES: readonly ApiKey['scope'][] = ['Read', 'Write', 'Admin'];

/** What the fields contain. */
interface KeyValues {
  name: string;
  scope: string;
  /** Local date and time; empty: the key does not expire. */
  expiry: string;
}
const FIRST: KeyValues = { name: '', scope: 'Read', expiry: '' };

/** The keys of programs. */
export function ApiKeysPage() {
  const texts = useTexts();
  const { create } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <SettingsPage
      name="apiKeys"
      isForAdmins
      aside={
        <Button look="primary" onClick={() => void navigate({ search: { create: 'yes' } })}>
          {texts.createKey}
        </Button>
      }
    >
      {() => (
        <>
          <KeyList />
          <CreateKeyDialog
            isOpen={create !== undefined}
            onClose={() => void navigate({ search: {}, replace: true })}
          />
        </>
      )}
    </SettingsPage>
  );
}

function KeyList() {
  const texts = useTexts();
  const format = useFormat();
  const queries = useQueryClient();
  const keys = useInfiniteQuery(
    listPages(['api-keys'], (cursor) => placard.apiKeys.list({ limit: 50, cursor }).page()),
  );
  return (
    <Panel title={texts.sections.apiKeys}>
      <p className="text-muted">{texts.keysHint}</p>
      <ListPages query={keys} empty={texts.noKeys}>
        {(items) => (
          <RowList label={texts.sections.apiKeys}>
            {items.map((key) => (
              <RowItem
                key={key.id}
                title={key.name}
                facts={[
                  key.last_four !== null && `…${key.last_four}`,
                  texts.scopes[key.scope],
                  texts.created(format.instant(key.created_at)),
                  key.last_used_at === null ? texts.neverUsed : texts.lastUsed(format.ago(key.last_used_at)),
                  key.expires_at !== null && texts.expires(format.instant(key.expires_at)),
                ]}
              >
                <ConfirmButton
                  label={texts.revoke}
                  question={texts.revokeKey(key.name)}
                  hint={`${texts.revokeKeyHint} ${texts.notUndone}`}
                  onConfirm={async () => {
                    await placard.apiKeys.delete(key.id);
                    await queries.invalidateQueries({ queryKey: ['api-keys'] });
                  }}
                />
              </RowItem>
            ))}
          </RowList>
        )}
      </ListPages>
    </Panel>
  );
}

function CreateKeyDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const messages = useMessages();
  const texts = useTexts();
  const queries = useQueryClient();
  const editor = useEdited<KeyValues>('api key new', null);
  const values = editor.edited ?? FIRST;
  const edit = (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
    editor.edit({ ...values, [event.target.name]: event.target.value });
  const create = useMutation({
    mutationFn: ({ name, scope, expiry }: KeyValues) =>
      placard.apiKeys.create({
        name,
        scope: SCOPES.find((each) => each === scope) ?? 'Read',
        ...(expiry !== '' && { expires_at: new Date(expiry).toISOString() }),
      }),
    onSuccess: () => {
      editor.discard();
      return queries.invalidateQueries({ queryKey: ['api-keys'] });
    },
  });
  const close = () => {
    create.reset();
    editor.discard();
    onClose();
  };
  const submit = () => create.mutate(values);
  const errors = fieldErrors(create.error);
  return (
    <Dialog isOpen={isOpen} onClose={close} title={create.data?.name ?? texts.createKey}>
      {create.data ? (
        <>
          <SecretNote label={texts.createKey} value={create.data.key} />
          <Button onClick={close}>{messages.close}</Button>
        </>
      ) : (
        <SendForm className="flex flex-col gap-3" isSending={create.isPending} onSend={submit}>
          <RestoredNote atMs={editor.restoredAtMs} onDiscard={editor.discard} />
          <TextField
            label={texts.keyName}
            name="name"
            maxLength={200}
            required
            value={values.name}
            onChange={edit}
            error={errors['name']}
          />
          <SelectField
            label={texts.scope}
            name="scope"
            value={values.scope}
            onChange={edit}
            error={errors['scope']}
          >
            {SCOPES.map((scope) => (
              <option key={scope} value={scope}>
                {texts.scopes[scope]}
              </option>
            ))}
          </SelectField>
          <TextField
            label={texts.expiry}
            name="expiry"
            type="datetime-local"
            value={values.expiry}
            onChange={edit}
            error={errors['expires_at']}
          />
          {create.error && <ErrorMessage error={create.error} />}
          <Button look="primary" type="submit" isBusy={create.isPending}>
            {texts.createKey}
          </Button>
        </SendForm>
      )}
    </Dialog>
  );
}
