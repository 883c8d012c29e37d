import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { storesQuery } from '../api/stores.ts';
import { tagsQuery } from '../api/tags.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import type { Target } from './schedule-draft.ts';
import { deviceSearchQuery } from './schedule-queries.ts';
import { useTargetName } from './target-name.tsx';
import { useTexts } from './texts.ts';

const KINDS = ['all', 'store', 'tag', 'device'] as const;
type Kind = (typeof KINDS)[number];

/** For which screens a schedule is. */
export function TargetsField({
  targets,
  mayWrite,
  onChange,
}: {
  targets: readonly Target[];
  mayWrite: boolean;
  onChange: (targets: readonly Target[]) => void;
}) {
  const texts = useTexts();
  const [kind, setKind] = useState<Kind | null>(null);
  const add = (target: Target) => {
    const isThere = targets.some((each) => JSON.stringify(each) === JSON.stringify(target));
    onChange(isThere ? targets : [...targets, target]);
    setKind(null);
  };
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{texts.targets}</span>
        {targets.length === 0 && <span className="text-muted">{texts.noTargets}</span>}
        {targets.map((target) => (
          <TargetChip
            key={JSON.stringify(target)}
            target={target}
            onRemove={mayWrite ? () => onChange(targets.filter((each) => each !== target)) : null}
          />
        ))}
        {mayWrite && kind === null && <Button onClick={() => setKind('store')}>{texts.addTarget}</Button>}
      </div>
      {kind !== null && (
        <div className="flex flex-wrap items-end gap-3 rounded-lg border border-line p-3">
          <SelectField
            label={texts.addTarget}
            value={kind}
            autoFocus
            onChange={(event) => setKind(KINDS.find((each) => each === event.target.value) ?? 'all')}
          >
            {KINDS.map((each) => (
              <option key={each} value={each}>
                {texts.targetKind[each]}
              </option>
            ))}
          </SelectField>
          {kind === 'all' && (
            <Button look="primary" onClick={() => add({ type: 'all' })}>
              {texts.add}
            </Button>
          )}
          {kind === 'store' && <StoreChoice onChoose={(id) => add({ type: 'store', id })} />}
          {kind === 'tag' && <TagChoice onChoose={(value) => add({ type: 'tag', value })} />}
          {kind === 'device' && <DeviceChoice onChoose={(id) => add({ type: 'device', id })} />}
        </div>
      )}
    </div>
  );
}

function TargetChip({ target, onRemove }: { target: Target; onRemove: (() => void) | null }) {
  const texts = useTexts();
  const name = useTargetName(target);
  return (
    <span className="inline-flex min-h-9 max-w-full items-center gap-1 rounded-lg bg-raised ps-3 pe-1">
      <span className="min-w-0 pe-2 [overflow-wrap:anywhere]">{name}</span>
      {onRemove && (
        <button
          type="button"
          aria-label={texts.remove(name)}
          onClick={onRemove}
          className="grid size-8 place-items-center rounded-md text-muted hover:text-text"
        >
          ✕
        </button>
      )}
    </span>
  );
}

function StoreChoice({ onChoose }: { onChoose: (id: string) => void }) {
  const texts = useTexts();
  const stores = useQuery(storesQuery);
  return (
    <SelectField
      label={texts.targetKind.store}
      value=""
      onChange={(event) => event.target.value !== '' && onChoose(event.target.value)}
    >
      <option value="">–</option>
      {[...(stores.data ?? [])].map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

function TagChoice({ onChoose }: { onChoose: (tag: string) => void }) {
  const texts = useTexts();
  const tags = useQuery(tagsQuery);
  const [tag, setTag] = useState('');
  return (
    <>
      <TextField
        label={texts.targetKind.tag}
        value={tag}
        maxLength={100}
        list="known-tags"
        onChange={(event) => setTag(event.target.value)}
      />
      <datalist id="known-tags">
        {tags.data?.map((each) => (
          <option key={each.tag} value={each.tag} />
        ))}
      </datalist>
      <Button look="primary" disabled={tag.trim() === ''} onClick={() => onChoose(tag.trim())}>
        {texts.add}
      </Button>
    </>
  );
}

function DeviceChoice({ onChoose }: { onChoose: (id: string) => void }) {
  const texts = useTexts();
  const [search, setSearch] = useState('');
  const found = useQuery({ ...deviceSearchQuery(search.trim()), enabled: search.trim() !== '' });
  return (
    <>
      <TextField
        label={texts.findDevice}
        value={search}
        maxLength={200}
        onChange={(event) => setSearch(event.target.value)}
      />
      {found.data?.map(({ id, name }) => (
        <Button key={id} onClick={() => onChoose(id)}>
          {name}
        </Button>
      ))}
    </>
  );
}
