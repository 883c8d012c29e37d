import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { bodyOf, hasProblem } from './playlist-draft.ts';
import type { PlaylistEditor } from './playlist-editor.ts';
import { useTexts } from './texts.ts';

/** A dry run for each key that is typed would be too many. */
const PAUSE_MS = 600;

/** Saves what was changed, and says before which screens it changes. */
export function SaveBar({ editor, playlistId }: { editor: PlaylistEditor; playlistId: string }) {
  const texts = useTexts();
  const messages = useMessages();
  const format = useFormat();
  const { values: draft, edited, hasConflict, error } = editor;
  const body = bodyOf(draft);
  const identity = JSON.stringify(body);
  const [tried, setTried] = useState(identity);
  useEffect(() => {
    const timer = setTimeout(() => setTried(identity), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [identity]);
  const trial = useQuery({
    queryKey: ['playlists', 'save-trial', playlistId, tried],
    queryFn: async ({ signal }) => {
      const { dry_run } = await placard.playlists.update(playlistId, body, {
        query: { dry_run: true },
        signal,
      });
      return dry_run?.device_count ?? 0;
    },
    enabled: edited !== null && tried === identity && !hasProblem(draft),
    staleTime: 0,
  });
  if (edited === null || hasConflict) {
    return null;
  }
  return (
    <div className="sticky bottom-[calc(0.5rem+var(--bottom-bar))] z-10 flex flex-col gap-2 rounded-xl border border-line bg-panel p-3 shadow-lg">
      {error && <ErrorMessage error={error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="primary"
          disabled={hasProblem(draft) || draft.name.trim() === ''}
          isBusy={editor.isSaving}
          onClick={() => editor.save()}
        >
          {messages.save}
        </Button>
        <Button onClick={editor.discard}>{messages.cancel}</Button>
        <p className="min-w-0 flex-1 basis-48 text-muted" role="status">
          {trial.data !== undefined &&
            tried === identity &&
            (trial.data === 0 ? texts.saveChangesNone : texts.saveChanges(format.number(trial.data)))}
        </p>
      </div>
    </div>
  );
}
