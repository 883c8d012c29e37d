import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel } from '../ui/panel.tsx';
import { deviceScreenshotQuery, isOpenRequest } from './device-queries.ts';
import type { ScreenshotState } from './device-queries.ts';
import { useLivePicture } from './live-picture.ts';
import { liveProblemOf } from './live-problem.ts';
import { useDeviceTexts } from './texts.ts';

const NOTHING: ScreenshotState = {
  screenshot: null,
  fault_screenshots: [],
  request: null,
  forbidden_by: null,
};

/** The newest picture of the screen, a button for another one, and one to watch what it shows. */
export function ScreenshotPanel({ deviceId, mayWrite }: { deviceId: string; mayWrite: boolean }) {
  const texts = useDeviceTexts();
  const format = useFormat();
  const queries = useQueryClient();
  const query = useQuery(deviceScreenshotQuery(deviceId));
  const ask = useMutation({
    mutationFn: () => placard.devices.requestScreenshot(deviceId),
    onSuccess: (request) =>
      queries.setQueryData(deviceScreenshotQuery(deviceId).queryKey, (before) => ({
        ...(before ?? NOTHING),
        request,
      })),
  });
  const live = useLivePicture(deviceId);
  const { screenshot, request, forbidden_by: forbiddenBy } = query.data ?? NOTHING;
  const isWaiting = ask.isPending || isOpenRequest(request);
  const isLive = live.state !== 'off';
  return (
    <Panel
      title={texts.screenshot}
      aside={isLive ? texts.live : screenshot && format.ago(screenshot.taken_at)}
    >
      {isLive && live.picture ? (
        <Picture
          url={live.picture}
          alt={texts.liveAlt}
          caption={live.state === 'on' ? texts.liveCaption : null}
        />
      ) : (
        screenshot && (
          <Picture
            url={screenshot.image_url}
            alt={texts.screenshotAlt}
            caption={
              screenshot.current
                ? texts.screenshotShows(screenshot.current.content_name ?? screenshot.current.content_id)
                : texts.screenshotShowsNothing
            }
          />
        )
      )}
      {query.error && <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />}
      {ask.error && <ErrorMessage error={ask.error} />}
      {live.error !== null && (
        <ErrorMessage
          error={liveProblemOf(live.error, texts) ?? live.error}
          {...(forbiddenBy === null && { onRetry: live.start })}
        />
      )}
      <p role="status" className="text-muted empty:hidden">
        {live.state === 'on'
          ? live.picture
            ? ''
            : texts.liveWaiting
          : isWaiting
            ? texts.screenshotWaiting
            : forbiddenBy === null
              ? (problemOf(request, texts) ?? (query.data && !screenshot ? texts.noScreenshot : ''))
              : texts.forbiddenBy[forbiddenBy]}
      </p>
      {mayWrite && forbiddenBy === null && (
        <div className="flex flex-wrap gap-2">
          <Button isBusy={isWaiting} disabled={isLive} onClick={() => ask.mutate()}>
            {texts.takeScreenshot}
          </Button>
          {live.state === 'paused' && <Button onClick={live.start}>{texts.stillWatching}</Button>}
          <Button onClick={isLive ? live.stop : live.start}>{isLive ? texts.stopLive : texts.live}</Button>
        </div>
      )}
    </Panel>
  );
}

function Picture({ url, alt, caption }: { url: string; alt: string; caption: string | null }) {
  return (
    <figure className="flex flex-col gap-2">
      <img
        src={url}
        alt={alt}
        className="max-h-[28rem] w-full rounded-lg border border-line bg-raised object-contain"
      />
      {caption !== null && <figcaption className="text-muted">{caption}</figcaption>}
    </figure>
  );
}

function problemOf(
  request: ScreenshotState['request'],
  texts: ReturnType<typeof useDeviceTexts>,
): string | undefined {
  if (request?.status === 'expired') {
    return texts.screenshotExpired;
  }
  return request?.status === 'failed' ? texts.screenshotFailed(request.problem ?? '') : undefined;
}
