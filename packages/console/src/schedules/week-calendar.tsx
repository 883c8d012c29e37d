import { useMemo } from 'react';
import type { KeyboardEvent } from 'react';
import { useLanguage } from '../i18n/language.tsx';
import { describeRule } from './rule-words.ts';
import { draftOf } from './schedule-draft.ts';
import type { DraftRule, Schedule } from './schedule-draft.ts';
import { useTexts } from './texts.ts';
import { addDays } from '../i18n/wall-clock.ts';
import { weekdayNames } from '../i18n/weekdays.ts';
import { placeParts, weekParts } from './week-blocks.ts';
import type { Block } from './week-blocks.ts';
import { useWeekDrag } from './week-drag.ts';
import { DAY_MINUTES, drawRule, moveRule, resizeRule, STEP } from './week-geometry.ts';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const percent = (minutes: number): string => `${(minutes / DAY_MINUTES) * 100}%`;

/** How the rules of other schedules are drawn. */
export const HATCHED = 'bg-[repeating-linear-gradient(135deg,var(--line)_0_1px,transparent_1px_8px)]';

const placeOf = ({ day, from, to, column, columns }: Block) => ({
  top: percent(from),
  height: percent(to - from),
  left: `calc(${((day + column / columns) / 7) * 100}% + 1px)`,
  width: `calc(${(1 / columns / 7) * 100}% - 2px)`,
});

interface Props {
  rules: readonly DraftRule[];
  /** Schedules that are for the same screens. */
  others: readonly Schedule[];
  /** Its Monday, `YYYY-MM-DD`. */
  weekStart: string;
  /** Today in the zone of the organization. */
  today: string;
  playlists: ReadonlyMap<string, string>;
  mayWrite: boolean;
  /** A new rule to draw; null when there is no playlist to show. */
  draftRule: () => DraftRule | null;
  onChange: (rule: DraftRule) => void;
  onAdd: (rule: DraftRule) => void;
  onRemove: (key: string) => void;
  onOpen: (key: string) => void;
}

/**
 * A week in which rules are drawn, moved and resized. Solid where a rule wins, dashed where another one of this schedule does;
 * hatched what other schedules have.
 */
export function WeekCalendar(props: Props) {
  const { rules, others, weekStart, today, mayWrite, draftRule, onChange, onAdd, onOpen } = props;
  const texts = useTexts();
  const { language } = useLanguage();
  const drag = useWeekDrag((rule, { isNew, isClick }) => {
    if (isNew) {
      onAdd(rule);
    } else if (isClick) {
      onOpen(rule.key);
    } else {
      onChange(rule);
    }
  });
  const { preview } = drag;
  const otherParts = useMemo(
    () =>
      weekParts(
        others.flatMap((schedule) => draftOf(schedule).rules),
        weekStart,
        true,
      ),
    [others, weekStart],
  );
  const blocks = useMemo(() => {
    const shown = rules.map((rule) => (rule.key === preview?.key ? preview : rule));
    const own = weekParts(preview && drag.isDrawing ? [...shown, preview] : shown, weekStart);
    return placeParts([...own, ...otherParts]);
  }, [rules, preview, drag.isDrawing, otherParts, weekStart]);
  const titleOf = (rule: DraftRule) =>
    [
      others.find(({ rules: theirs }) => theirs.some(({ id }) => id === rule.key))?.name,
      props.playlists.get(rule.playlist_id),
      describeRule(rule, language, texts.words),
    ].join('\n');
  const names = weekdayNames(language, 'short');
  return (
    <div
      role="region"
      aria-label={texts.week}
      tabIndex={0}
      className="max-h-[70dvh] overflow-auto rounded-lg border border-line"
    >
      <div className="min-w-[36rem]">
        <div className="sticky top-0 z-[3] grid grid-cols-[3rem_repeat(7,minmax(0,1fr))] border-b border-line bg-panel">
          <span />
          {names.map((name, day) => {
            const date = addDays(weekStart, day);
            return (
              <span
                key={name}
                className={`py-1 text-center ${date === today ? 'font-semibold text-accent' : 'text-muted'}`}
              >
                {name} {Number(date.slice(8))}
              </span>
            );
          })}
        </div>
        <div className="grid grid-cols-[3rem_minmax(0,1fr)]">
          <div className="relative h-[48rem]" aria-hidden>
            {HOURS.slice(1).map((hour) => (
              <span
                key={hour}
                className="absolute end-1 -translate-y-1/2 text-xs text-muted"
                style={{ top: percent(hour * 60) }}
              >
                {hour}:00
              </span>
            ))}
          </div>
          <div
            ref={drag.grid}
            className={`relative h-[48rem] select-none ${mayWrite ? 'cursor-crosshair' : ''}`}
            onPointerDown={(event) => mayWrite && drag.begin(event, 'draw', draftRule())}
            onPointerMove={drag.move}
            onPointerUp={(event) => {
              const rule = event.pointerType === 'touch' && mayWrite ? draftRule() : null;
              if (rule) {
                const from = drag.point(event);
                onAdd(drawRule(rule, from, { ...from, minute: from.minute + 60 }));
              } else {
                drag.end();
              }
            }}
            onPointerCancel={drag.cancel}
          >
            {HOURS.map((hour) => (
              <div
                key={hour}
                className="pointer-events-none absolute inset-x-0 border-t border-line first:border-0"
                style={{ top: percent(hour * 60) }}
              />
            ))}
            {names.slice(1).map((name, day) => (
              <div
                key={name}
                className="pointer-events-none absolute inset-y-0 border-s border-line"
                style={{ left: `${((day + 1) / 7) * 100}%` }}
              />
            ))}
            {blocks.map((block) =>
              block.isOther ? (
                <div
                  key={`${block.rule.key}/${block.nth}`}
                  aria-hidden
                  title={titleOf(block.rule)}
                  className={`absolute overflow-hidden rounded-md border border-line px-2 pt-0.5 text-xs leading-4 text-muted [overflow-wrap:anywhere] ${HATCHED}`}
                  style={placeOf(block)}
                >
                  <span className="bg-panel">{props.playlists.get(block.rule.playlist_id)}</span>
                </div>
              ) : (
                <BlockButton
                  key={`${block.rule.key}/${block.nth}`}
                  block={block}
                  {...props}
                  onPointer={(event, kind) => mayWrite && drag.begin(event, kind, block.rule)}
                />
              ),
            )}
          </div>
        </div>
      </div>
    </div>
  );
}

function BlockButton({
  block,
  playlists,
  mayWrite,
  onChange,
  onRemove,
  onOpen,
  onPointer,
}: Props & {
  block: Block;
  onPointer: (event: React.PointerEvent, kind: 'move' | 'start' | 'end') => void;
}) {
  const texts = useTexts();
  const { language } = useLanguage();
  const { rule, from, to, wins } = block;
  const won = wins.reduce((sum, part) => sum + part.to - part.from, 0);
  const words = describeRule(rule, language, texts.words);
  const name = playlists.get(rule.playlist_id) ?? '…';
  const loses = won === 0 ? texts.losesAll : won < to - from ? texts.losesPartly : null;
  const press = (event: KeyboardEvent) => {
    const [days, steps] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
      event.key
    ] ?? [0, 0];
    if (!mayWrite || event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    if (event.key === 'Delete' || event.key === 'Backspace') {
      onRemove(rule.key);
    } else if (days || steps) {
      onChange(
        event.shiftKey ? resizeRule(rule, 'end', steps! * STEP) : moveRule(rule, days!, steps! * STEP),
      );
    } else {
      return;
    }
    event.preventDefault();
  };
  return (
    <button
      type="button"
      title={[name, words, ...(loses === null ? [] : [loses])].join('\n')}
      onKeyDown={press}
      // A pointer opens it when it is released, unless it has moved the rule.
      onClick={(event) => (event.detail === 0 || !mayWrite) && onOpen(rule.key)}
      onPointerDown={(event) => onPointer(event, 'move')}
      onPointerUp={(event) => {
        if (event.pointerType === 'touch') {
          event.stopPropagation();
          onOpen(rule.key);
        }
      }}
      className="absolute z-[1] overflow-hidden rounded-md border border-dashed border-accent bg-panel text-start focus-visible:z-[2]"
      style={placeOf(block)}
    >
      {wins.map((part) => (
        <span
          key={part.from}
          aria-hidden
          className="absolute inset-x-0 border-s-4 border-accent bg-selected"
          style={{
            top: `${((part.from - from) / (to - from)) * 100}%`,
            height: `${((part.to - part.from) / (to - from)) * 100}%`,
          }}
        />
      ))}
      <span className="sr-only">{[name, words, ...(loses === null ? [] : [loses])].join(', ')}</span>
      <span
        aria-hidden
        className="absolute inset-x-0 top-0 ps-2 pe-1 pt-0.5 text-xs leading-4 [overflow-wrap:anywhere]"
      >
        <span className="font-semibold">{name}</span> <span>{`${rule.start_time}–${rule.end_time}`}</span>
      </span>
      {mayWrite && block.opens && (
        <span
          aria-hidden
          className="absolute inset-x-0 top-0 h-1.5 cursor-ns-resize"
          onPointerDown={(event) => onPointer(event, 'start')}
        />
      )}
      {mayWrite && block.ends && (
        <span
          aria-hidden
          className="absolute inset-x-0 bottom-0 h-1.5 cursor-ns-resize"
          onPointerDown={(event) => onPointer(event, 'end')}
        />
      )}
    </button>
  );
}
