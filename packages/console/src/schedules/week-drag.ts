import { useRef, useState } from 'react';
import type { PointerEvent } from 'react';
import type { DraftRule } from './schedule-draft.ts';
import { DAY_MINUTES, drawRule, moveRule, pointAt, resizeRule } from './week-geometry.ts';
import type { GridPoint } from './week-geometry.ts';

type Kind = 'draw' | 'move' | 'start' | 'end';

interface Drag {
  kind: Kind;
  /** The rule that is changed; a new one while something is drawn. */
  rule: DraftRule;
  from: GridPoint;
  to: GridPoint;
}

/** The rule after a drag. */
function dragged({ kind, rule, from, to }: Drag): DraftRule {
  const days = to.day - from.day;
  const minutes = to.minute - from.minute;
  if (kind === 'draw') {
    return drawRule(rule, from, to);
  }
  return kind === 'move'
    ? moveRule(rule, days, minutes)
    : resizeRule(rule, kind, days * DAY_MINUTES + minutes);
}

/** Drawing, moving and resizing rules with a pointer. `onEnd` gets the rule, and whether it was only clicked. */
export function useWeekDrag(onEnd: (rule: DraftRule, what: { isNew: boolean; isClick: boolean }) => void) {
  const [drag, setDrag] = useState<Drag | null>(null);
  const grid = useRef<HTMLDivElement>(null);
  const point = (event: PointerEvent): GridPoint => {
    const box = grid.current?.getBoundingClientRect();
    return box
      ? pointAt((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height)
      : { day: 0, minute: 0 };
  };
  return {
    grid,
    /** The rule as it is during the drag, if any. */
    preview: drag && dragged(drag),
    isDrawing: drag?.kind === 'draw',
    /** Fingers scroll: they tap instead of dragging. */
    begin: (event: PointerEvent, kind: Kind, rule: DraftRule | null) => {
      if (rule === null || event.button !== 0 || event.pointerType === 'touch') {
        return;
      }
      event.stopPropagation();
      grid.current?.setPointerCapture(event.pointerId);
      const from = point(event);
      setDrag({ kind, rule, from, to: from });
    },
    move: (event: PointerEvent) => drag && setDrag({ ...drag, to: point(event) }),
    end: () => {
      if (drag) {
        const isClick = drag.from.day === drag.to.day && drag.from.minute === drag.to.minute;
        const isNew = drag.kind === 'draw';
        // A click on an empty place is an hour.
        const to = isNew && isClick ? { ...drag.from, minute: drag.from.minute + 60 } : drag.to;
        onEnd(dragged({ ...drag, to }), { isNew, isClick });
        setDrag(null);
      }
    },
    cancel: () => setDrag(null),
    point,
  };
}
