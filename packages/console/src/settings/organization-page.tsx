import type { Organization } from '@placard/client';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useMay } from '../api/account.ts';
import { useEditor } from '../api/editor.ts';
import { placard } from '../api/placard.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ConflictNote } from '../ui/conflict-note.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { CheckBox, SelectField, TextField } from '../ui/field.tsx';
import { Facts, Panel, Skeleton } from '../ui/panel.tsx';
import { RestoredNote } from '../ui/restored-note.tsx';
import { ScreenshotIntervalField } from '../ui/screenshot-interval-field.tsx';
import { SettingsPage } from './settings-page.tsx';
import { useTexts } from './settings-texts.ts';

const organizationQuery = queryOptions({
  queryKey: ['organization', 'settings'],
  queryFn: async ({ signal }) => {
    const { data, etag } = await placard.request('GET /v1/organization', { signal });
    return { organization: data, etag };
  },
});

type Settings = Pick<
  Organization,
  'name' | 'timezone' | 'screenshots_allowed' | 'screenshot_interval_minutes' | 'renditions'
>;
const settingsOf = ({
  name,
  timezone,
  screenshots_allowed,
  screenshot_interval_minutes,
  renditions,
}: Organization): Settings => ({
  name,
  timezone,
  screenshots_allowed,
  screenshot_interval_minutes,
  renditions,
});

const POLICIES = ['off', 'on_demand', 'automatic'] as const;

/** Name, time zone, screenshots, copies of files that screens cannot play, and how people sign in. */
export function OrganizationPage() {
  const query = useQuery(organizationQuery);
  const isAdmin = useMay('Admin');
  return (
    <SettingsPage name="organization">
      {() => (
        <>
          {query.error && <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />}
          {query.isPending && <Skeleton className="h-60" />}
          {query.data &&
            (isAdmin ? <EditPanel {...query.data} /> : <ReadPanel organization={query.data.organization} />)}
          <SignInPanel />
        </>
      )}
    </SettingsPage>
  );
}

function ReadPanel({ organization }: { organization: Organization }) {
  const messages = useMessages();
  const texts = useTexts();
  return (
    <Panel title={texts.sections.organization}>
      <Facts
        facts={[
          [texts.organizationName, organization.name],
          [texts.timeZone, organization.timezone],
          [texts.allowsScreenshots, organization.screenshots_allowed ? messages.yes : messages.no],
          [texts.renditions, texts.renditionPolicies[organization.renditions]],
        ]}
      />
    </Panel>
  );
}

function EditPanel({ organization, etag }: { organization: Organization; etag: string | null }) {
  const messages = useMessages();
  const texts = useTexts();
  const queries = useQueryClient();
  const editor = useEditor({
    kind: 'organization',
    id: organization.id,
    etag,
    stored: settingsOf(organization),
    valuesOf: settingsOf,
    save: (body, condition) => placard.request('PATCH /v1/organization', { body, ...condition }),
    readAgain: () => queries.invalidateQueries({ queryKey: ['organization'] }),
  });
  const { values, edit } = editor;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    editor.save();
  };
  const errors = fieldErrors(editor.error);
  const zones = new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), organization.timezone]);
  return (
    <Panel title={texts.sections.organization}>
      <form className="flex max-w-md flex-col gap-3" onSubmit={submit}>
        <RestoredNote atMs={editor.restoredAtMs} onDiscard={editor.discard} />
        <TextField
          label={texts.organizationName}
          value={values.name}
          onChange={(event) => edit({ name: event.target.value })}
          maxLength={200}
          required
          error={errors['name']}
        />
        <SelectField
          label={texts.timeZone}
          hint={texts.timeZoneHint}
          value={values.timezone}
          onChange={(event) => edit({ timezone: event.target.value })}
          error={errors['timezone']}
        >
          {[...zones].map((zone) => (
            <option key={zone} value={zone}>
              {zone}
            </option>
          ))}
        </SelectField>
        <CheckBox
          label={texts.allowsScreenshots}
          isChecked={values.screenshots_allowed}
          onChange={(allowed) => edit({ screenshots_allowed: allowed })}
        />
        <p className="text-muted">{texts.allowsScreenshotsHint}</p>
        {values.screenshots_allowed && (
          <ScreenshotIntervalField
            of="organization"
            value={values.screenshot_interval_minutes}
            onChange={(minutes) => edit({ screenshot_interval_minutes: minutes })}
          />
        )}
        <SelectField
          label={texts.renditions}
          hint={texts.renditionsHint}
          value={values.renditions}
          onChange={({ target }) =>
            edit({ renditions: POLICIES.find((policy) => policy === target.value) ?? 'off' })
          }
          error={errors['renditions']}
        >
          {POLICIES.map((policy) => (
            <option key={policy} value={policy}>
              {texts.renditionPolicies[policy]}
            </option>
          ))}
        </SelectField>
        {editor.hasConflict && (
          <ConflictNote
            theirs={[
              organization.name,
              organization.timezone,
              `${texts.allowsScreenshots}: ${organization.screenshots_allowed ? messages.yes : messages.no}`,
              `${texts.renditions}: ${texts.renditionPolicies[organization.renditions]}`,
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
    </Panel>
  );
}

function SignInPanel() {
  const messages = useMessages();
  const texts = useTexts();
  const methods = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => placard.authentication.getSignInMethods({ signal }),
    staleTime: Infinity,
  });
  return (
    <Panel title={texts.signingIn}>
      {methods.error && <ErrorMessage error={methods.error} onRetry={() => void methods.refetch()} />}
      {methods.data && (
        <Facts
          facts={[
            [messages.password, methods.data.password ? messages.yes : messages.no],
            [texts.passkeys, methods.data.passkeys ? messages.yes : messages.no],
            [texts.companyAccounts, methods.data.company?.name ?? texts.companyNone],
            [texts.limits, texts.limitKeys],
          ]}
        />
      )}
    </Panel>
  );
}
