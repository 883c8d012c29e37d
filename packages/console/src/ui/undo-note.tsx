import { Button } from './button.tsx';

/** Says what was done, with a button that takes it back. */
export function UndoNote({
  text,
  undoLabel,
  onUndo,
  closeLabel,
  onClose,
}: {
  text: string;
  undoLabel: string;
  onUndo: () => void;
  closeLabel: string;
  onClose: () => void;
}) {
  return (
    <div
      role="status"
      className="fixed inset-x-4 bottom-[calc(1rem+var(--bottom-bar))] z-20 mx-auto flex max-w-lg items-center gap-2 rounded-xl border border-line bg-panel p-2 ps-4 shadow-xl"
    >
      <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">{text}</p>
      <Button onClick={onUndo}>{undoLabel}</Button>
      <Button look="quiet" aria-label={closeLabel} onClick={onClose}>
        ✕
      </Button>
    </div>
  );
}
