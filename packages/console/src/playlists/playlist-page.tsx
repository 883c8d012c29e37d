import { useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/account.ts';
import { newKey } from '../api/new-key.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ConflictNote } from '../ui/conflict-note.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { RestoredNote } from '../ui/restored-note.tsx';
import { UndoNote } from '../ui/undo-note.tsx';
import { ContentPicker } from './content-picker.tsx';
import { DeletePlaylist } from './delete-playlist.tsx';
import { DeployDialog } from './deploy-dialog.tsx';
import { DeploymentPanel } from './deployment-panel.tsx';
import { ItemList } from './item-list.tsx';
import { clockOf, hasProblem, itemOf, MODES, passOf } from './playlist-draft.ts';
import type { DraftItem } from './playlist-draft.ts';
import { lengthQuery, playlistQuery, warningsQuery } from './playlist-queries.ts';
import type { EditedPlaylist } from './playlist-queries.ts';
import { PreviewPanel } from './preview-panel.tsx';
import { SaveBar } from './save-bar.tsx';
import { useTexts } from './texts.ts';
import { warningsByContent } from './video-warning.ts';
import { usePlaylistEditor } from './playlist-editor.ts';

const route = getRouteApi('/signed-in/playlists/$playlistId');

/** One playlist: its items, how it looks, and where it is shown. */
export function PlaylistPage() {
  const { playlistId } = route.useParams();
  const query = useQuery(playlistQuery(playlistId));
  if (query.error && !query.data) {
    return (
      <div className="flex flex-col gap-4">
        <BackLink />
        <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />
      </div>
    );
  }
  return query.data ? <Editor key={playlistId} {...query.data} /> : <Skeleton className="h-96" />;
}

function BackLink() {
  const texts = useTexts();
  return (
    <nav>
      <Link to="/playlists" className="text-muted hover:text-text">
        ← {texts.playlists}
      </Link>
    </nav>
  );
}

function Editor({ playlist, etag }: EditedPlaylist) {
  const texts = useTexts();
  const messages = useMessages();
  const isEditor = useMay('Write');
  // Who is bound to stores may still deploy to theirs what others show, too.
  const mayWrite = isEditor && !playlist.shown_elsewhere;
  const mayDelete = useMay('Admin');
  const editor = usePlaylistEditor(playlist, etag);
  const warnings = useQuery({ ...warningsQuery(playlist.id, etag), enabled: mayWrite });
  const { values: draft, edit } = editor;
  const [open, setOpen] = useState<'picker' | 'deploy' | 'delete' | null>(null);
  const [removed, setRemoved] = useState<{ item: DraftItem; index: number } | null>(null);
  const [playing, setPlaying] = useState<string | null>(null);
  const [failures, setFailures] = useState<ReadonlyMap<string, string>>(new Map());
  const pass = passOf(draft.items, useLengths(draft.items));
  const errors = fieldErrors(editor.error);
  const problems = new Map(
    draft.items.flatMap(({ key }, index) => {
      const refused = Object.entries(errors).find(([path]) => path.startsWith(`items.${index}.`))?.[1];
      const problem = refused ?? (failures.has(key) ? texts.notShown : undefined);
      return problem === undefined ? [] : [[key, problem] as const];
    }),
  );
  const deploy = () => {
    if (editor.edited === null) {
      setOpen('deploy');
    } else {
      // What is deployed is what is seen.
      editor.save((_saved, isAll) => isAll && setOpen('deploy'));
    }
  };
  return (
    <>
      <title>{`${playlist.name} · Placard`}</title>
      <header className="mb-4 flex flex-col gap-1">
        <BackLink />
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <h1 className="min-w-0 text-xl font-semibold [overflow-wrap:anywhere]">{playlist.name}</h1>
          <span className="text-muted">
            {(pass.isComplete ? texts.total : texts.totalAtLeast)(clockOf(pass.seconds))}
          </span>
          <div className="ms-auto flex flex-wrap gap-2">
            {mayDelete && (
              <Button look="danger" onClick={() => setOpen('delete')}>
                {texts.delete}
              </Button>
            )}
            {isEditor && draft.items.length > 0 && (
              <Button look="primary" disabled={hasProblem(draft)} isBusy={editor.isSaving} onClick={deploy}>
                {texts.deploy}
              </Button>
            )}
          </div>
        </div>
      </header>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          {isEditor && !mayWrite && <p className="text-muted">{messages.boundNote}</p>}
          <RestoredNote atMs={editor.restoredAtMs} onDiscard={editor.discard} />
          <Panel title={texts.items} aside={texts.itemCount(draft.items.length)}>
            {draft.items.length === 0 && (
              <div className="flex flex-col items-center gap-2 py-8 text-center">
                <h3 className="font-semibold">{texts.noItems}</h3>
                <p className="text-muted">{texts.noItemsHint}</p>
              </div>
            )}
            <ItemList
              items={draft.items}
              mode={draft.mode}
              mayWrite={mayWrite}
              playing={playing}
              problems={problems}
              warnings={warningsByContent(warnings.data ?? [], messages)}
              onChange={(items) => edit({ items })}
              onRemove={(item) => {
                setRemoved({ item, index: draft.items.indexOf(item) });
                edit({ items: draft.items.filter(({ key }) => key !== item.key) });
              }}
            />
            {mayWrite && (
              <Button className="self-start" onClick={() => setOpen('picker')}>
                + {texts.addContent}
              </Button>
            )}
          </Panel>
          <Panel title={messages.settings}>
            <fieldset disabled={!mayWrite} className="contents">
              <TextField
                label={texts.name}
                value={draft.name}
                maxLength={200}
                required
                onChange={(event) => edit({ name: event.target.value })}
                error={errors['name']}
              />
              <SelectField
                label={texts.mode}
                hint={texts.modeHints[draft.mode]}
                value={draft.mode}
                onChange={(event) =>
                  edit({ mode: MODES.find((mode) => mode === event.target.value) ?? 'sequential' })
                }
              >
                {MODES.map((mode) => (
                  <option key={mode} value={mode}>
                    {texts.modes[mode]}
                  </option>
                ))}
              </SelectField>
            </fieldset>
          </Panel>
          {editor.hasConflict && (
            <ConflictNote
              theirs={[
                playlist.name,
                texts.modes[playlist.mode],
                playlist.items.map(({ content }) => content.name).join(', ') || texts.noItems,
              ]}
              onKeepMine={editor.keepMine}
              onTakeTheirs={editor.discard}
            />
          )}
          <SaveBar editor={editor} playlistId={playlist.id} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <PreviewPanel
            items={draft.items}
            mode={draft.mode}
            onShown={(key) => {
              setPlaying(key);
              setFailures((before) => without(before, key));
            }}
            onFailed={(key, detail) => setFailures((before) => new Map(before).set(key, detail))}
          />
          <DeploymentPanel playlistId={playlist.id} />
        </div>
      </div>
      {open === 'picker' && (
        <ContentPicker
          onClose={() => setOpen(null)}
          onAdd={(assets) => {
            setOpen(null);
            edit({ items: [...draft.items, ...assets.map((asset) => itemOf(asset, newKey()))] });
          }}
        />
      )}
      {open === 'deploy' && <DeployDialog playlist={playlist} onClose={() => setOpen(null)} />}
      {open === 'delete' && <DeletePlaylist playlist={playlist} onClose={() => setOpen(null)} />}
      {removed && (
        <UndoNote
          text={texts.removed(removed.item.content.name)}
          undoLabel={texts.undo}
          onUndo={() => {
            edit({ items: draft.items.toSpliced(removed.index, 0, removed.item) });
            setRemoved(null);
          }}
          closeLabel={messages.close}
          onClose={() => setRemoved(null)}
        />
      )}
    </>
  );
}

function without(map: ReadonlyMap<string, string>, key: string | null): ReadonlyMap<string, string> {
  if (key === null || !map.has(key)) {
    return map;
  }
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}

/** The lengths in seconds of the videos that play to their end, by content, as far as they are known. */
function useLengths(items: readonly DraftItem[]): ReadonlyMap<string, number> {
  const ids = [
    ...new Set(
      items.flatMap(({ duration, content, contentId }) =>
        duration === null && content.type === 'video' ? [contentId] : [],
      ),
    ),
  ].slice(0, 50);
  const lengths = useQueries({ queries: ids.map((id) => lengthQuery(id)) });
  return new Map(
    ids.flatMap((id, index) => {
      const length = lengths[index]?.data;
      return typeof length === 'number' ? [[id, length] as const] : [];
    }),
  );
}
