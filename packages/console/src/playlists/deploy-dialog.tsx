import type { Playlist, Target } from '@placard/client';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { useAccount } from '../api/account.ts';
import { placard } from '../api/placard.ts';
import { storesQuery } from '../api/stores.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { deployTrialQuery, screensQuery } from './playlist-queries.ts';
import { TrialResult } from './trial-result.tsx';
import { Warnings } from '../ui/warnings.tsx';
import { useTexts } from './texts.ts';

const KINDS = ['all', 'store', 'tag', 'device'] as const;
type Kind = (typeof KINDS)[number];
/** A tag may be on screens of any store. */
const KINDS_OF_BOUND: readonly Kind[] = ['store', 'device'];

/** Chooses screens, says what would change on them, and deploys only then. */
export function DeployDialog({ playlist, onClose }: { playlist: Playlist; onClose: () => void }) {
  const texts = useTexts();
  const messages = useMessages();
  const queries = useQueryClient();
  const { stores: own } = useAccount();
  const kinds = own === null ? KINDS : KINDS_OF_BOUND;
  const [kind, setKind] = useState<Kind>(own === null ? 'all' : 'store');
  const [store, setStore] = useState(own?.length === 1 ? (own[0]?.id ?? '') : '');
  const [tag, setTag] = useState('');
  const [devices, setDevices] = useState<readonly string[]>([]);
  const targets = useDeferredValue(targetsOf(kind, { store, tag: tag.trim(), devices }));
  const screens = useQuery(screensQuery(''));
  const trial = useQuery({ ...deployTrialQuery(playlist.id, targets), enabled: targets.length > 0 });
  const deploy = useMutation({
    mutationFn: () => placard.playlists.deploy(playlist.id, { targets: [...targets] }),
    onSuccess: async () => {
      // Not everybody is told of deployments by an event.
      void queries.invalidateQueries({ queryKey: ['timeline'] });
      // Its warnings are of the screens that show it.
      void queries.invalidateQueries({ queryKey: ['playlists', 'warnings', playlist.id] });
      await queries.invalidateQueries({ queryKey: ['playlists', 'deployment', playlist.id] });
      onClose();
    },
  });
  const names: Record<Kind, string> = {
    all: texts.targetAll,
    store: texts.targetStore,
    tag: texts.targetTag,
    device: texts.targetDevices,
  };
  if (screens.data?.total === 0) {
    return (
      <Dialog isOpen onClose={onClose} title={texts.deployTitle}>
        <p>{texts.noScreens}</p>
        <Link to="/devices" className="text-accent underline">
          {texts.toScreens}
        </Link>
      </Dialog>
    );
  }
  const error = deploy.error ?? trial.error;
  return (
    <Dialog isOpen onClose={onClose} title={texts.deployTitle}>
      <SelectField
        label={texts.deployTo}
        value={kind}
        onChange={(event) => setKind(KINDS.find((each) => each === event.target.value) ?? 'all')}
      >
        {kinds.map((each) => (
          <option key={each} value={each}>
            {names[each]}
          </option>
        ))}
      </SelectField>
      {kind === 'store' && <StoreField value={store} onChange={setStore} />}
      {kind === 'tag' && (
        <TextField
          label={texts.tag}
          value={tag}
          maxLength={100}
          onChange={(event) => setTag(event.target.value)}
        />
      )}
      {kind === 'device' && <ScreenChoice chosen={devices} onChange={setDevices} />}
      {trial.isFetching && <p className="text-muted">{texts.checking}</p>}
      {!trial.isFetching && trial.data?.dryRun && <TrialResult dryRun={trial.data.dryRun} />}
      {trial.data && <Warnings warnings={trial.data.warnings} />}
      <p className="text-muted">{texts.scheduleFirst}</p>
      {error && <ErrorMessage error={error} />}
      <div className="flex gap-2">
        <Button
          look="primary"
          disabled={!trial.data || trial.isFetching}
          isBusy={deploy.isPending}
          onClick={() => deploy.mutate()}
        >
          {texts.deploy}
        </Button>
        <Button onClick={onClose}>{messages.cancel}</Button>
      </div>
    </Dialog>
  );
}

function targetsOf(
  kind: Kind,
  { store, tag, devices }: { store: string; tag: string; devices: readonly string[] },
): Target[] {
  const targets: Record<Kind, Target[]> = {
    all: [{ type: 'all' }],
    store: store === '' ? [] : [{ type: 'store', id: store }],
    tag: tag === '' ? [] : [{ type: 'tag', value: tag }],
    device: devices.map((id) => ({ type: 'device', id })),
  };
  return targets[kind];
}

function StoreField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const texts = useTexts();
  const stores = useQuery(storesQuery);
  return (
    <SelectField label={texts.store} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">–</option>
      {[...(stores.data ?? [])].map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

function ScreenChoice({
  chosen,
  onChange,
}: {
  chosen: readonly string[];
  onChange: (ids: readonly string[]) => void;
}) {
  const texts = useTexts();
  const [search, setSearch] = useState('');
  const query = useQuery({
    ...screensQuery(useDeferredValue(search.trim())),
    placeholderData: keepPreviousData,
  });
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="sr-only">{texts.targetDevices}</legend>
      <TextField
        label={texts.searchScreens}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {query.error && <ErrorMessage error={query.error} />}
      <ul className="flex max-h-60 flex-col overflow-y-auto">
        {query.data?.devices.map(({ id, name }) => (
          <li key={id}>
            <label className="flex min-h-9 items-center gap-3 rounded px-2 hover:bg-raised pointer-coarse:min-h-11">
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={chosen.includes(id)}
                onChange={(event) =>
                  onChange(event.target.checked ? [...chosen, id] : chosen.filter((each) => each !== id))
                }
              />
              <span title={name} className="truncate">
                {name}
              </span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
