import type { AlertMute } from '@placard/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { use, useState } from 'react';
import { useMayInAllStores } from '../api/account.ts';
import { placard } from '../api/placard.ts';
import { TimeZone } from '../i18n/format.ts';
import { useLanguage } from '../i18n/language.tsx';
import { instantOf, wallClockOf } from '../i18n/wall-clock.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { SendForm } from '../ui/send-form.tsx';
import { useTexts } from './texts.ts';

/** Screens that can be muted, with the words for them. */
export interface MuteChoice {
  target: AlertMute['target'];
  words: string;
}

export type MuteChoices = readonly [MuteChoice, ...MuteChoice[]];

const DAY_HOURS = 24;
/** For how long, besides a time of one's own. */
const HOURS = [1, 4, DAY_HOURS, 7 * DAY_HOURS];
const OWN_TIME = 'until';
const HOUR_MS = 3_600_000;

/** A button that mutes some screens, for people who may; the first choice is the one at first. */
export function MuteButton({ choices }: { choices: MuteChoices }) {
  const texts = useTexts();
  const mayMute = useMayInAllStores('Write');
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    mayMute && (
      <>
        <Button aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
          {texts.mute}
        </Button>
        <Dialog isOpen={isOpen} onClose={close} title={texts.muteTitle}>
          <MuteForm choices={choices} onClose={close} />
        </Dialog>
      </>
    )
  );
}

function MuteForm({ choices, onClose }: { choices: MuteChoices; onClose: () => void }) {
  const { messages, language } = useLanguage();
  const texts = useTexts();
  const timeZone = use(TimeZone);
  const queries = useQueryClient();
  const [chosen, setChosen] = useState(choices[0]);
  const [length, setLength] = useState(String(HOURS[0]));
  const [until, setUntil] = useState(() => wallClockOf(Date.now() + HOUR_MS, timeZone));
  const [reason, setReason] = useState('');
  const save = useMutation({
    mutationFn: () =>
      placard.alerts.createMute({
        target: chosen.target,
        until:
          length === OWN_TIME
            ? (instantOf(until, timeZone) ?? '')
            : new Date(Date.now() + Number(length) * HOUR_MS).toISOString(),
        reason: reason.trim() === '' ? null : reason,
      }),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  });
  const errors = fieldErrors(save.error);
  // Stores may be added and removed while the form is open.
  const offered = choices.some((each) => keyOf(each) === keyOf(chosen)) ? choices : [chosen, ...choices];
  const submit = () => save.mutate();
  return (
    <SendForm className="flex flex-col gap-3" isSending={save.isPending} onSend={submit}>
      <p className="text-muted">{texts.muteHint}</p>
      <SelectField
        label={texts.screensTitle}
        autoFocus
        value={keyOf(chosen)}
        onChange={({ target: { value } }) =>
          setChosen(offered.find((each) => keyOf(each) === value) ?? chosen)
        }
      >
        {offered.map((choice) => (
          <option key={keyOf(choice)} value={keyOf(choice)}>
            {choice.words}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={texts.muteFor}
        value={length}
        error={length === OWN_TIME ? undefined : errors['until']}
        onChange={({ target }) => setLength(target.value)}
      >
        {HOURS.map((hours) => (
          <option key={hours} value={hours}>
            {lengthWords(hours, language)}
          </option>
        ))}
        <option value={OWN_TIME}>{texts.untilOwnTime}</option>
      </SelectField>
      {length === OWN_TIME && (
        <TextField
          label={texts.untilTime}
          type="datetime-local"
          required
          value={until}
          hint={timeZone}
          error={errors['until']}
          onChange={({ target }) => setUntil(target.value)}
        />
      )}
      <TextField
        label={texts.reason}
        value={reason}
        maxLength={200}
        error={errors['reason']}
        onChange={({ target }) => setReason(target.value)}
      />
      {save.error && <ErrorMessage error={save.error} />}
      <div className="flex gap-2">
        <Button look="primary" type="submit" isBusy={save.isPending}>
          {texts.mute}
        </Button>
        <Button onClick={onClose}>{messages.cancel}</Button>
      </div>
    </SendForm>
  );
}

const keyOf = ({ target }: MuteChoice): string =>
  target.type === 'all' ? target.type : `${target.type} ${target.id}`;

const lengthWords = (hours: number, language: string): string =>
  new Intl.NumberFormat(language, {
    style: 'unit',
    unit: hours < DAY_HOURS ? 'hour' : 'day',
    unitDisplay: 'long',
  }).format(hours < DAY_HOURS ? hours : hours / DAY_HOURS);
