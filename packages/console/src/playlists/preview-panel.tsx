import { useMemo, useState } from 'react';
import { StagePreview } from '../stage-preview/stage-preview.tsx';
import type { PreviewItem } from '../stage-preview/stage-preview.tsx';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { Panel } from '../ui/panel.tsx';
import { hasBadDuration } from './playlist-draft.ts';
import type { DraftItem, Mode } from './playlist-draft.ts';
import { chooseNext } from './preview-order.ts';
import { useTexts } from './texts.ts';

const FITS = ['contain', 'cover', 'stretch'] as const;
const BACKGROUNDS = ['black', 'blurred'] as const;
const SHAPES = ['landscape', 'portrait'] as const;

/** The playlist as a screen shows it, drawn by the player's own stage, also before it is saved. */
export function PreviewPanel({
  items,
  mode,
  onShown,
  onFailed,
}: {
  items: readonly DraftItem[];
  mode: Mode;
  onShown: (key: string | null) => void;
  onFailed: (key: string, detail: string) => void;
}) {
  const texts = useTexts();
  const [isPlaying, setIsPlaying] = useState(true);
  const [fit, setFit] = useState<(typeof FITS)[number]>('contain');
  const [background, setBackground] = useState<(typeof BACKGROUNDS)[number]>('black');
  const [shape, setShape] = useState<(typeof SHAPES)[number]>('landscape');
  const shown = items.filter((item) => !hasBadDuration(item));
  // Begins again only when what is shown has changed: items that are read again have new objects.
  const identity = JSON.stringify([
    mode,
    shown.map(({ key, duration, weight, content }) => [key, duration, weight, content.url, content.type]),
  ]);
  const next = useMemo(() => {
    const playable = shown.map(({ key, duration, content }): PreviewItem => ({
      key,
      kind: content.type,
      url: content.url,
      duration: content.type === 'image' ? (duration ?? 10) : duration,
    }));
    const choose = chooseNext(
      mode,
      shown.map(({ weight }) => weight ?? 1),
    );
    return (number: number) => playable[choose(number)] ?? null;
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [identity]);
  if (items.length === 0) {
    return null;
  }
  return (
    <Panel
      title={texts.preview}
      aside={
        <Button
          onClick={() => {
            setIsPlaying(!isPlaying);
            onShown(null);
          }}
        >
          {isPlaying ? `■ ${texts.stop}` : `▶ ${texts.play}`}
        </Button>
      }
    >
      <div
        className={`mx-auto overflow-hidden rounded-lg bg-black ${shape === 'landscape' ? 'aspect-video w-full' : 'aspect-[9/16] h-[26rem] max-w-full'}`}
      >
        {isPlaying && (
          <StagePreview
            next={next}
            fit={fit}
            background={background}
            label={texts.preview}
            onShown={onShown}
            onFailed={onFailed}
          />
        )}
      </div>
      <p className="text-muted">{texts.previewHint}</p>
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
        <SelectField
          label={texts.shape}
          value={shape}
          onChange={(event) => setShape(SHAPES.find((each) => each === event.target.value) ?? 'landscape')}
        >
          <option value="landscape">{texts.landscape}</option>
          <option value="portrait">{texts.portrait}</option>
        </SelectField>
        <SelectField
          label={texts.fit}
          value={fit}
          onChange={(event) => setFit(FITS.find((each) => each === event.target.value) ?? 'contain')}
        >
          {FITS.map((each) => (
            <option key={each} value={each}>
              {texts.fits[each]}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={texts.background}
          value={background}
          onChange={(event) =>
            setBackground(BACKGROUNDS.find((each) => each === event.target.value) ?? 'black')
          }
        >
          {BACKGROUNDS.map((each) => (
            <option key={each} value={each}>
              {texts.backgrounds[each]}
            </option>
          ))}
        </SelectField>
      </div>
    </Panel>
  );
}
