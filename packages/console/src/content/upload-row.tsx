import { useFormat } from '../i18n/format.ts';
import { Button } from '../ui/button.tsx';
import { sentenceOf } from '../ui/error-message.tsx';
import { ProgressBar } from '../ui/progress-bar.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { useTexts } from './texts.ts';
import { cancelUpload, pauseUpload, resumeUpload } from './upload-queue.ts';
import type { QueuedUpload } from './upload-queue.ts';

const KINDS = {
  waiting: 'idle',
  uploading: 'idle',
  preparing: 'warn',
  ready: 'good',
  failed: 'bad',
  paused: 'warn',
} as const;

/** One file on its way: how far it is, why it was refused, and how to pause it, go on or give it up. */
export function UploadRow({
  upload,
  onOpen,
}: {
  upload: QueuedUpload;
  /** Opens the asset that it has become. */
  onOpen?: (id: string) => void;
}) {
  const texts = useTexts();
  const format = useFormat();
  const { key, file, replaces, state, sent, asset, error } = upload;
  const percent = file.size === 0 ? 0 : (sent / file.size) * 100;
  const label = {
    waiting: texts.waiting,
    uploading: texts.uploading(format.percent(percent)),
    preparing: texts.preparing,
    ready: texts.ready,
    failed: texts.failed,
    paused: texts.paused,
  }[state];
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1">
      <div className="flex min-w-0 flex-wrap gap-x-4">
        {asset && onOpen ? (
          <button type="button" className="truncate text-accent underline" onClick={() => onOpen(asset.id)}>
            {asset.name}
          </button>
        ) : (
          <span className="truncate">{replaces ? `${file.name} → ${replaces.name}` : file.name}</span>
        )}
        <StatusMark kind={KINDS[state]} label={label} />
      </div>
      <div className="flex">
        {(state === 'uploading' || state === 'waiting') && (
          <Button look="quiet" aria-label={texts.pause(file.name)} onClick={() => pauseUpload(key)}>
            ‖
          </Button>
        )}
        {(state === 'paused' || state === 'failed') && (
          <Button look="quiet" aria-label={texts.resume(file.name)} onClick={() => resumeUpload(key)}>
            ↻
          </Button>
        )}
        {state !== 'ready' && (
          <Button look="quiet" aria-label={texts.cancelUpload(file.name)} onClick={() => cancelUpload(key)}>
            ✕
          </Button>
        )}
      </div>
      {state !== 'ready' && state !== 'failed' && (
        <ProgressBar label={file.name} className="col-span-2" value={sent} max={file.size} />
      )}
      {state === 'failed' && (
        <p className="col-span-2 text-bad [overflow-wrap:anywhere]">{sentenceOf(error)}</p>
      )}
    </li>
  );
}
