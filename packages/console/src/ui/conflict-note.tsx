import { useMessages } from '../i18n/language.tsx';
import { Button } from './button.tsx';

/** Somebody else was faster: says what is stored now, and lets the person choose. */
export function ConflictNote({
  theirs,
  onKeepMine,
  onTakeTheirs,
}: {
  /** What is stored now, in words; each on a line of its own. */
  theirs: readonly string[];
  /** The next save overwrites it. */
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}) {
  const messages = useMessages();
  return (
    <div role="alert" className="flex flex-col gap-2 rounded-lg bg-warn-panel p-3 text-warn">
      <p>{messages.changedMeanwhile}</p>
      <ul className="list-disc ps-5 [overflow-wrap:anywhere]">
        {theirs
          .filter((each) => each !== '')
          .map((each, index) => (
            <li key={index}>{each}</li>
          ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button onClick={onKeepMine}>{messages.keepMine}</Button>
        <Button onClick={onTakeTheirs}>{messages.takeTheirs}</Button>
      </div>
    </div>
  );
}
