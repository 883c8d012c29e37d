import type { User } from '@placard/client';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useAccount, useMay } from '../api/account.ts';
import { keyOfChanges } from '../api/changes.ts';
import { useEditor } from '../api/editor.ts';
import { placard } from '../api/placard.ts';
import { storesQuery } from '../api/stores.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-dialog.tsx';
import { ConflictNote } from '../ui/conflict-note.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { RestoredNote } from '../ui/restored-note.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { AccessFields } from './access-fields.tsx';
import type { Access } from './access-fields.tsx';
import { SecretNote } from './secret-note.tsx';
import { UserSessionsPanel } from './sessions-panel.tsx';
import { SettingsPage } from './settings-page.tsx';
import { useTexts } from './settings-texts.ts';

const route = getRouteApi('/signed-in/settings/people/$userId');

const userQuery = (id: string) =>
  queryOptions({
    queryKey: ['users', 'one', id],
    queryFn: async ({ signal }) => {
      const { data, etag } = await placard.request('GET /v1/users/{id}', { path: { id }, signal });
      return { user: data, etag };
    },
  });

/** One person: what they may do, their sessions, and help when they have lost access. */
export function PersonPage() {
  const texts = useTexts();
  const { userId } = route.useParams();
  const query = useQuery({ ...userQuery(userId), enabled: useMay('Admin') });
  return (
    <SettingsPage name="people" isForAdmins title={query.data?.user.name}>
      {() => (
        <>
          <Link to="/settings/people" className="self-start text-muted hover:text-text">
            ← {texts.sections.people}
          </Link>
          {query.error && <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />}
          {query.isPending && <Skeleton className="h-96" />}
          {query.data && <Person key={userId} user={query.data.user} etag={query.data.etag} />}
        </>
      )}
    </SettingsPage>
  );
}

function Person({ user, etag }: { user: User; etag: string | null }) {
  const isSelf = useAccount().id === user.id;
  return (
    <>
      <AccessPanel user={user} etag={etag} isSelf={isSelf} />
      <UserSessionsPanel userId={user.id} />
      <LostAccessPanel user={user} />
      {!isSelf && <RemovePanel user={user} />}
    </>
  );
}

/** Returns what reads the person and the lists of people again. */
function useReadAgain() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['users'] });
}

const valuesOf = ({ name, role, stores }: User): Access & { name: string } => ({ name, role, stores });

function AccessPanel({ user, etag, isSelf }: { user: User; etag: string | null; isSelf: boolean }) {
  const messages = useMessages();
  const texts = useTexts();
  const readAgain = useReadAgain();
  const editor = useEditor({
    kind: 'person',
    id: user.id,
    etag,
    stored: valuesOf(user),
    valuesOf,
    save: ({ name, role, stores: bound }, condition) =>
      placard.request('PATCH /v1/users/{id}', {
        path: { id: user.id },
        body: { name, ...(!isSelf && { role, stores: bound === null ? null : [...bound] }) },
        ...condition,
      }),
    readAgain,
  });
  const { name, ...access } = editor.values;
  const stores = useQuery(storesQuery);
  const able = useMutation({
    mutationKey: keyOfChanges('person', user.id),
    mutationFn: (disabled: boolean) => placard.people.updateUser(user.id, { disabled }),
    onSuccess: readAgain,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    editor.save();
  };
  const errors = fieldErrors(editor.error);
  return (
    <Panel title={texts.access} aside={user.email}>
      {user.disabled && <StatusMark kind="bad" label={texts.disabled} />}
      <form className="flex max-w-md flex-col gap-3" onSubmit={submit}>
        <RestoredNote atMs={editor.restoredAtMs} onDiscard={editor.discard} />
        <TextField
          label={messages.name}
          value={name}
          onChange={(event) => editor.edit({ name: event.target.value })}
          maxLength={200}
          required
          error={errors['name']}
        />
        {!isSelf && (
          <AccessFields value={access} onChange={editor.edit} error={errors['role'] ?? errors['stores']} />
        )}
        {editor.hasConflict && (
          <ConflictNote
            theirs={[
              user.name,
              user.role,
              user.stores?.map((id) => stores.data?.get(id) ?? id).join(', ') ?? '',
            ]}
            onKeepMine={editor.keepMine}
            onTakeTheirs={editor.discard}
          />
        )}
        {editor.error && !editor.hasConflict && <ErrorMessage error={editor.error} />}
        <div>
          <Button type="submit" isBusy={editor.isSaving}>
            {messages.save}
          </Button>
        </div>
      </form>
      {!isSelf && (
        <div className="flex flex-wrap items-center gap-3 border-t border-line pt-3">
          <Button
            isBusy={able.isPending}
            disabled={editor.isSaving}
            onClick={() => able.mutate(!user.disabled)}
          >
            {user.disabled ? texts.enable : texts.disable}
          </Button>
          <p className="min-w-0 flex-1 basis-60 text-muted">{texts.disableHint}</p>
        </div>
      )}
      {able.error && <ErrorMessage error={able.error} />}
    </Panel>
  );
}

function LostAccessPanel({ user }: { user: User }) {
  const texts = useTexts();
  const readAgain = useReadAgain();
  const link = useMutation({ mutationFn: () => placard.people.createResetLink(user.id) });
  return (
    <Panel title={texts.lostAccess}>
      {link.data ? (
        <SecretNote label={texts.resetLink} value={link.data.url} hint={texts.resetLinkHint} />
      ) : (
        <p className="text-muted">{texts.resetLinkHint}</p>
      )}
      {link.error && <ErrorMessage error={link.error} />}
      <div className="flex flex-wrap gap-2">
        <Button isBusy={link.isPending} onClick={() => link.mutate()}>
          {texts.resetLink}
        </Button>
        {user.has_second_factor && (
          <ConfirmButton
            label={texts.removeSecondFactor}
            question={texts.removeSecondFactorOf(user.name)}
            onConfirm={async () => {
              await placard.people.removeSecondFactor(user.id);
              await readAgain();
            }}
          />
        )}
      </div>
    </Panel>
  );
}

function RemovePanel({ user }: { user: User }) {
  const texts = useTexts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <Panel title={texts.remove}>
      <p className="text-muted">{texts.removePersonHint}</p>
      <div>
        <ConfirmButton
          label={texts.removePerson}
          question={texts.removePersonNamed(user.name)}
          hint={texts.notUndone}
          onConfirm={async () => {
            await placard.people.deleteUser(user.id);
            await navigate({ to: '/settings/people' });
            queries.removeQueries({ queryKey: userQuery(user.id).queryKey });
            await queries.invalidateQueries({ queryKey: ['users'] });
          }}
        />
      </div>
    </Panel>
  );
}
