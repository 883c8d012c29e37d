import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEdited } from '../api/edited.ts';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { Panel } from '../ui/panel.tsx';
import { RestoredNote } from '../ui/restored-note.tsx';
import { ListPages, listPages } from './list-pages.tsx';
import { RowItem, RowList } from '../ui/row-list.tsx';
import { SendForm } from '../ui/send-form.tsx';
import { SecretNote } from './secret-note.tsx';
import { SettingsPage } from './settings-page.tsx';
import { useTexts } from './settings-texts.ts';
import { WebhookFields } from './webhook-fields.tsx';
import type { WebhookValues } from './webhook-fields.tsx';

const route = getRouteApi('/signed-in/settings/webhooks');
const FIRST: WebhookValues = { url: '', events: ['device.offline', 'device.alert'] };

/** The servers that are told what happens. */
export function WebhooksPage() {
  const texts = useTexts();
  const { create } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <SettingsPage
      name="webhooks"
      isForAdmins
      aside={
        <Button look="primary" onClick={() => void navigate({ search: { create: 'yes' } })}>
          {texts.createWebhook}
        </Button>
      }
    >
      {() => (
        <>
          <WebhookList />
          <CreateWebhookDialog
            isOpen={create !== undefined}
            onClose={() => void navigate({ search: {}, replace: true })}
          />
        </>
      )}
    </SettingsPage>
  );
}

function WebhookList() {
  const texts = useTexts();
  const format = useFormat();
  const webhooks = useInfiniteQuery(
    listPages(['webhooks'], (cursor) => placard.webhooks.list({ limit: 50, cursor }).page()),
  );
  return (
    <Panel title={texts.sections.webhooks}>
      <p className="text-muted">{texts.webhooksHint}</p>
      <ListPages query={webhooks} empty={texts.noWebhooks}>
        {(items) => (
          <RowList label={texts.sections.webhooks}>
            {items.map((webhook) => (
              <RowItem
                key={webhook.id}
                title={
                  <Link
                    to="/settings/webhooks/$webhookId"
                    params={{ webhookId: webhook.id }}
                    className="text-accent hover:underline"
                  >
                    {webhook.url}
                  </Link>
                }
                facts={[
                  webhook.is_active ? texts.active : `○ ${texts.switchedOff}`,
                  webhook.disabled_reason,
                  `${texts.events}: ${format.number(webhook.events.length)}`,
                ]}
              />
            ))}
          </RowList>
        )}
      </ListPages>
    </Panel>
  );
}

function CreateWebhookDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const texts = useTexts();
  const queries = useQueryClient();
  const editor = useEdited<WebhookValues>('webhook new', null);
  const values = editor.edited ?? FIRST;
  const create = useMutation({
    mutationFn: ({ url, events }: WebhookValues) => placard.webhooks.create({ url, events: [...events] }),
    onSuccess: () => {
      editor.discard();
      return queries.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  const close = () => {
    create.reset();
    editor.discard();
    onClose();
  };
  const submit = () => create.mutate(values);
  return (
    <Dialog isOpen={isOpen} onClose={close} title={texts.createWebhook}>
      {create.data ? (
        <>
          <SecretNote label={texts.secret} value={create.data.secret} />
          <Link
            to="/settings/webhooks/$webhookId"
            params={{ webhookId: create.data.id }}
            className="text-accent underline [overflow-wrap:anywhere]"
          >
            {create.data.url}
          </Link>
        </>
      ) : (
        <SendForm className="flex flex-col gap-3" isSending={create.isPending} onSend={submit}>
          <RestoredNote atMs={editor.restoredAtMs} onDiscard={editor.discard} />
          <WebhookFields value={values} onChange={editor.edit} errors={fieldErrors(create.error)} />
          {create.error && <ErrorMessage error={create.error} />}
          <Button look="primary" type="submit" isBusy={create.isPending}>
            {texts.createWebhook}
          </Button>
        </SendForm>
      )}
    </Dialog>
  );
}
