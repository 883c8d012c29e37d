import {
  closestCenter,
  DndContext,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import type { UniqueIdentifier } from '@dnd-kit/core';
import {
  arrayMove,
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import { useFormat } from '../i18n/format.ts';
import { Button } from '../ui/button.tsx';
import { ItemPicture } from './content-picker.tsx';
import { hasBadDuration, hasBadWeight, sharesOf } from './playlist-draft.ts';
import type { DraftItem, Mode } from './playlist-draft.ts';
import { useTexts } from './texts.ts';

interface Shown {
  items: readonly DraftItem[];
  mode: Mode;
  mayWrite: boolean;
  /** The item that the preview shows. */
  playing: string | null;
  /** What is wrong with an item, by its key. */
  problems: ReadonlyMap<string, string>;
  /** What screens cannot do with a content, by its id. */
  warnings: ReadonlyMap<string, readonly string[]>;
  onChange: (items: readonly DraftItem[]) => void;
  onRemove: (item: DraftItem) => void;
}

/** The items in their order, which can be changed by dragging and by keyboard. */
export function ItemList({ items, mode, mayWrite, playing, problems, warnings, onChange, onRemove }: Shown) {
  const texts = useTexts();
  const format = useFormat();
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const indexOf = (id: UniqueIdentifier) => items.findIndex(({ key }) => key === id);
  const nameOf = (id: UniqueIdentifier) => items[indexOf(id)]?.content.name ?? '';
  const placeOf = (id: UniqueIdentifier) => format.number(indexOf(id) + 1);
  const count = format.number(items.length);
  const shares = sharesOf(items);
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      accessibility={{
        screenReaderInstructions: { draggable: texts.moveHint },
        announcements: {
          onDragStart: ({ active }) => texts.movedTo(nameOf(active.id), placeOf(active.id), count),
          onDragOver: ({ active, over }) =>
            over ? texts.movedTo(nameOf(active.id), placeOf(over.id), count) : undefined,
          onDragEnd: ({ active, over }) =>
            over ? texts.droppedAt(nameOf(active.id), placeOf(over.id)) : undefined,
          onDragCancel: ({ active }) => texts.moveCancelled(nameOf(active.id)),
        },
      }}
      onDragEnd={({ active, over }) => {
        if (over && active.id !== over.id) {
          onChange(arrayMove([...items], indexOf(active.id), indexOf(over.id)));
        }
      }}
    >
      <SortableContext items={items.map(({ key }) => key)} strategy={verticalListSortingStrategy}>
        <ol aria-label={texts.items} className="flex flex-col gap-2">
          {items.map((item, index) => (
            <ItemRow
              key={item.key}
              item={item}
              share={mode === 'weighted' ? (shares[index] ?? 0) : null}
              mayWrite={mayWrite}
              isPlaying={item.key === playing}
              problem={problems.get(item.key)}
              warnings={warnings.get(item.contentId) ?? []}
              onEdit={(changed) =>
                onChange(items.map((each) => (each.key === item.key ? { ...each, ...changed } : each)))
              }
              onRemove={() => onRemove(item)}
            />
          ))}
        </ol>
      </SortableContext>
    </DndContext>
  );
}

const FIELD =
  'h-9 w-16 rounded-lg border border-line bg-panel px-2 text-end text-text placeholder:text-muted aria-invalid:border-bad pointer-coarse:h-11';

const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));

function ItemRow({
  item,
  share,
  mayWrite,
  isPlaying,
  problem,
  warnings,
  onEdit,
  onRemove,
}: {
  item: DraftItem;
  /** Per cent of the plays; null when all come equally often. */
  share: number | null;
  mayWrite: boolean;
  isPlaying: boolean;
  problem: string | undefined;
  warnings: readonly string[];
  onEdit: (changed: Partial<DraftItem>) => void;
  onRemove: () => void;
}) {
  const texts = useTexts();
  const format = useFormat();
  const { key, content, duration, weight } = item;
  const sortable = useSortable({ id: key, disabled: !mayWrite });
  const isBadDuration = hasBadDuration(item);
  const isBadWeight = share !== null && hasBadWeight(item);
  const wrong = isBadDuration ? texts.badDuration : isBadWeight ? texts.badWeight : problem;
  return (
    <li
      ref={sortable.setNodeRef}
      style={{ transform: CSS.Translate.toString(sortable.transform), transition: sortable.transition }}
      className={`relative flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border bg-panel p-2 ${isPlaying ? 'border-accent' : 'border-line'} ${sortable.isDragging ? 'z-10 shadow-xl' : ''}`}
    >
      <div className="flex min-w-0 flex-1 basis-52 items-center gap-3">
        {mayWrite && (
          <button
            type="button"
            ref={sortable.setActivatorNodeRef}
            {...sortable.attributes}
            {...sortable.listeners}
            aria-label={texts.move(content.name)}
            className="grid h-9 w-6 shrink-0 cursor-grab touch-none place-items-center rounded text-muted hover:bg-raised pointer-coarse:h-11 pointer-coarse:w-9"
          >
            ⠿
          </button>
        )}
        <ItemPicture content={content} className="h-10 w-16 shrink-0 rounded" />
        <span
          title={content.name}
          className="line-clamp-2 [overflow-wrap:anywhere] sm:line-clamp-1 min-w-0 font-medium"
        >
          {content.name}
        </span>
      </div>
      <div className="ms-auto flex flex-wrap items-center gap-2">
        <span className="flex items-center gap-1">
          <input
            type="number"
            inputMode="numeric"
            aria-label={texts.duration(content.name)}
            aria-invalid={isBadDuration}
            min={1}
            max={86_400}
            disabled={!mayWrite}
            required={content.type === 'image'}
            placeholder={content.type === 'video' ? texts.toTheEnd : ''}
            value={duration || ''}
            onChange={(event) => {
              const seconds = numberOf(event.target.value);
              // 0 is invalid: a picture has no end of its own.
              onEdit({ duration: seconds ?? (content.type === 'image' ? 0 : null) });
            }}
            className={content.type === 'video' ? `${FIELD} w-28!` : FIELD}
          />
          <span aria-hidden className="text-muted">
            {texts.seconds}
          </span>
        </span>
        {share !== null && (
          <span className="flex items-center gap-2">
            <input
              type="number"
              inputMode="numeric"
              aria-label={texts.weight(content.name)}
              aria-invalid={isBadWeight}
              min={1}
              max={1000}
              disabled={!mayWrite}
              value={(weight ?? 1) || ''}
              onChange={(event) => onEdit({ weight: numberOf(event.target.value) ?? 0 })}
              className={FIELD}
            />
            <span className="text-muted">{texts.share(format.percent(share))}</span>
          </span>
        )}
        {mayWrite && (
          <Button look="quiet" aria-label={texts.remove(content.name)} onClick={onRemove}>
            ✕
          </Button>
        )}
      </div>
      {wrong !== undefined && <p className="w-full text-bad">✕ {wrong}</p>}
      {warnings.map((warning) => (
        <p key={warning} className="w-full text-warn [overflow-wrap:anywhere]">
          ▲ {warning}
        </p>
      ))}
    </li>
  );
}
