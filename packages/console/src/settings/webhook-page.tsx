import type { Webhook } from '@placard/client';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useMay } from '../api/account.ts';
import { keyOfChanges, useIsChanging } from '../api/changes.ts';
import { useEditor } from '../api/editor.ts';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-dialog.tsx';
import { ConflictNote } from '../ui/conflict-note.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { RestoredNote } from '../ui/restored-note.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { DeliveriesPanel } from './deliveries-panel.tsx';
import { SecretNote } from './secret-note.tsx';
import { SettingsPage } from './settings-page.tsx';
import { useTexts } from './settings-texts.ts';
import { WebhookFields } from './webhook-fields.tsx';
import type { WebhookValues } from './webhook-fields.tsx';

const route = getRouteApi('/signed-in/settings/webhooks/$webhookId');

const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'one', id],
    queryFn: async ({ signal }) => {
      const { data, etag } = await placard.request('GET /v1/webhooks/{id}', { path: { id }, signal });
      return { webhook: data, etag };
    },
  });

/** One webhook: what it tells, its secret, and what was sent. */
export function WebhookPage() {
  const texts = useTexts();
  const { webhookId } = route.useParams();
  const query = useQuery({ ...webhookQuery(webhookId), enabled: useMay('Admin') });
  return (
    <SettingsPage name="webhooks" isForAdmins title={query.data?.webhook.url}>
      {() => (
        <>
          <Link to="/settings/webhooks" className="self-start text-muted hover:text-text">
            ← {texts.sections.webhooks}
          </Link>
          {query.error && <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />}
          {query.isPending && <Skeleton className="h-96" />}
          {query.data && (
            <>
              <TargetPanel key={webhookId} {...query.data} />
              <SecretPanel id={webhookId} />
              <DeliveriesPanel webhookId={webhookId} />
              <DeletePanel webhook={query.data.webhook} />
            </>
          )}
        </>
      )}
    </SettingsPage>
  );
}

const valuesOf = ({ url, events }: Webhook): WebhookValues => ({ url, events });

function TargetPanel({ webhook, etag }: { webhook: Webhook; etag: string | null }) {
  const messages = useMessages();
  const texts = useTexts();
  const queries = useQueryClient();
  const readAgain = () => queries.invalidateQueries({ queryKey: ['webhooks'] });
  const editor = useEditor({
    kind: 'webhook',
    id: webhook.id,
    etag,
    stored: valuesOf(webhook),
    valuesOf,
    save: ({ url, events }, condition) =>
      placard.request('PATCH /v1/webhooks/{id}', {
        path: { id: webhook.id },
        body: { url, events: [...events] },
        ...condition,
      }),
    readAgain,
  });
  const able = useMutation({
    mutationKey: keyOfChanges('webhook', webhook.id),
    mutationFn: (isActive: boolean) => placard.webhooks.update(webhook.id, { is_active: isActive }),
    onSettled: readAgain,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    editor.save();
  };
  return (
    <Panel title={texts.events}>
      <StatusMark
        kind={webhook.is_active ? 'good' : 'idle'}
        label={webhook.is_active ? texts.active : texts.switchedOff}
      />
      {webhook.disabled_reason !== null && (
        <p role="alert" className="rounded-lg bg-warn-panel p-3 text-warn">
          {webhook.disabled_reason}
        </p>
      )}
      <form className="flex flex-col gap-3" onSubmit={submit}>
        <RestoredNote atMs={editor.restoredAtMs} onDiscard={editor.discard} />
        <WebhookFields value={editor.values} onChange={editor.edit} errors={fieldErrors(editor.error)} />
        {editor.hasConflict && (
          <ConflictNote
            theirs={[webhook.url, webhook.events.join(', ')]}
            onKeepMine={editor.keepMine}
            onTakeTheirs={editor.discard}
          />
        )}
        {editor.error && !editor.hasConflict && <ErrorMessage error={editor.error} />}
        {able.error && <ErrorMessage error={able.error} />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" isBusy={editor.isSaving}>
            {messages.save}
          </Button>
          <Button
            isBusy={able.isPending}
            disabled={editor.isSaving}
            onClick={() => able.mutate(!webhook.is_active)}
          >
            {webhook.is_active ? texts.switchOff : texts.switchOn}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

function SecretPanel({ id }: { id: string }) {
  const texts = useTexts();
  const queries = useQueryClient();
  const isChanging = useIsChanging('webhook', id);
  const rotate = useMutation({
    mutationKey: keyOfChanges('webhook', id),
    mutationFn: () => placard.webhooks.rotateSecret(id),
    // Its ETag has changed.
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
  return (
    <Panel title={texts.secret}>
      {rotate.data && <SecretNote label={texts.secret} value={rotate.data.secret} />}
      {rotate.error && <ErrorMessage error={rotate.error} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button isBusy={rotate.isPending} disabled={isChanging} onClick={() => rotate.mutate()}>
          {texts.rotateSecret}
        </Button>
        <p className="text-muted">{texts.rotateHint}</p>
      </div>
    </Panel>
  );
}

function DeletePanel({ webhook }: { webhook: Webhook }) {
  const texts = useTexts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return (
    <Panel title={texts.remove}>
      <div>
        <ConfirmButton
          label={texts.deleteWebhook}
          question={texts.deleteWebhookNamed(webhook.url)}
          hint={texts.notUndone}
          onConfirm={async () => {
            await placard.webhooks.delete(webhook.id);
            await navigate({ to: '/settings/webhooks' });
            queries.removeQueries({ queryKey: webhookQuery(webhook.id).queryKey });
            await queries.invalidateQueries({ queryKey: ['webhooks'] });
          }}
        />
      </div>
    </Panel>
  );
}
