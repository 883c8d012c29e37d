import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useIsBound } from '../api/account.ts';
import { useEditor } from '../api/editor.ts';
import { ORIENTATIONS, orientationOf } from '../api/orientations.ts';
import type { Orientation } from '../api/orientations.ts';
import { placard } from '../api/placard.ts';
import { storesQuery } from '../api/stores.ts';
import type { Messages } from '../i18n/english.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ConflictNote } from '../ui/conflict-note.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { CheckBox, SelectField, TextField } from '../ui/field.tsx';
import { Panel } from '../ui/panel.tsx';
import { RestoredNote } from '../ui/restored-note.tsx';
import { ScreenshotIntervalField } from '../ui/screenshot-interval-field.tsx';
import { deviceQuery } from './device-queries.ts';
import type { DeviceDetail } from './device-queries.ts';
import { useDeviceTexts } from './texts.ts';

interface Values {
  name: string;
  store: string;
  orientation: Orientation;
  tags: string;
  allowsScreenshots: boolean;
  screenshotInterval: number | null;
}

const valuesOf = (device: DeviceDetail): Values => ({
  name: device.name,
  store: device.store_id ?? '',
  orientation: device.orientation,
  tags: device.tags.join(', '),
  allowsScreenshots: device.configuration.screenshots_allowed,
  screenshotInterval: device.configuration.screenshot_interval_minutes,
});
/** The settings in words, for somebody who has to choose between two versions. */
const described = (
  device: DeviceDetail,
  stores: ReadonlyMap<string, string> | undefined,
  messages: Messages,
  texts: ReturnType<typeof useDeviceTexts>,
): string[] => [
  device.name,
  device.store_id === null ? messages.noStore : (stores?.get(device.store_id) ?? device.store_id),
  messages.orientations[device.orientation],
  device.tags.join(', '),
  device.configuration.screenshots_allowed ? '' : texts.forbiddenBy.device,
];
const parseTags = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');

/** Name, store, orientation and tags. A change by somebody else meanwhile is not overwritten: both are shown. */
export function SettingsPanel({
  device,
  etag,
  mayWrite,
}: {
  device: DeviceDetail;
  etag: string | null;
  mayWrite: boolean;
}) {
  const messages = useMessages();
  const texts = useDeviceTexts();
  const queries = useQueryClient();
  const isBound = useIsBound();
  const stores = useQuery(storesQuery);
  const editor = useEditor({
    kind: 'device',
    id: device.id,
    etag,
    stored: valuesOf(device),
    valuesOf,
    save: (to, condition) =>
      placard.request('PATCH /v1/devices/{id}', {
        path: { id: device.id },
        body: {
          name: to.name,
          store_id: to.store === '' ? null : to.store,
          orientation: to.orientation,
          tags: parseTags(to.tags),
          configuration: {
            screenshots_allowed: to.allowsScreenshots,
            screenshot_interval_minutes: to.screenshotInterval,
          },
        },
        ...condition,
      }),
    readAgain: () => queries.invalidateQueries({ queryKey: deviceQuery(device.id).queryKey }),
  });
  const { values, edit, hasConflict } = editor;
  const errors = fieldErrors(editor.error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    editor.save();
  };
  return (
    <Panel title={messages.settings}>
      <form className="flex flex-col gap-3" onSubmit={submit}>
        <RestoredNote atMs={editor.restoredAtMs} onDiscard={editor.discard} />
        {hasConflict && (
          <ConflictNote
            theirs={described(device, stores.data, messages, texts)}
            onKeepMine={editor.keepMine}
            onTakeTheirs={editor.discard}
          />
        )}
        <fieldset disabled={!mayWrite} className="contents">
          <TextField
            label={messages.name}
            value={values.name}
            maxLength={200}
            required
            onChange={(event) => edit({ name: event.target.value })}
            error={errors['name']}
          />
          <SelectField
            label={messages.store}
            value={values.store}
            onChange={(event) => edit({ store: event.target.value })}
            error={errors['store_id']}
          >
            {!isBound && <option value="">{messages.noStore}</option>}
            {[...(stores.data ?? [])].map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
          <SelectField
            label={messages.orientation}
            value={values.orientation}
            onChange={(event) => edit({ orientation: orientationOf(event.target.value) })}
            error={errors['orientation']}
          >
            {ORIENTATIONS.map((value) => (
              <option key={value} value={value}>
                {messages.orientations[value]}
              </option>
            ))}
          </SelectField>
          <TextField
            label={messages.tags}
            hint={messages.tagsHint}
            value={values.tags}
            onChange={(event) => edit({ tags: event.target.value })}
            error={errors['tags']}
          />
          <CheckBox
            label={texts.allowsScreenshots}
            isChecked={values.allowsScreenshots}
            onChange={(allowsScreenshots) => edit({ allowsScreenshots })}
          />
          {values.allowsScreenshots && (
            <ScreenshotIntervalField
              of="device"
              value={values.screenshotInterval}
              onChange={(screenshotInterval) => edit({ screenshotInterval })}
            />
          )}
        </fieldset>
        {editor.error && !hasConflict && <ErrorMessage error={editor.error} />}
        {editor.edited !== null && !hasConflict && (
          <div className="flex gap-2">
            <Button look="primary" type="submit" isBusy={editor.isSaving}>
              {messages.save}
            </Button>
            <Button onClick={editor.discard}>{messages.cancel}</Button>
          </div>
        )}
      </form>
    </Panel>
  );
}
