import { useMessages } from '../i18n/language.tsx';
import { Button } from './button.tsx';

/** Somebody else was faster: says what is stored now, and lets the person choose. */
export function ConflictNote({
  theirs,
  onKeepMine,
  onTakeTheirs,
}: {
  /** What is stored now, in words. */
  theirs: readonly string[];
  /** The next save overwrites it. */
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}) {
  const messages = useMessages();
  return (
    <div role="alert" className="flex flex-col gap-2 rounded-lg bg-warn-panel p-3 text-warn">
      <p>{messages.changedMeanwhile}</p>
      <p className="[overflow-wrap:anywhere]">{theirs.filter((each) => each !== '').join(' · ')}</p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={onKeepMine}>{messages.keepMine}</Button>
        <Button onClick={onTakeTheirs}>{messages.takeTheirs}</Button>
      </div>
    </div>
  );
}
