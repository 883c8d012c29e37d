import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel } from '../ui/panel.tsx';
import { deviceScreenshotQuery, isOpenRequest } from './device-queries.ts';
import type { ScreenshotState } from './device-queries.ts';
import { useDeviceTexts } from './texts.ts';

const NOTHING: ScreenshotState = {
  screenshot: null,
  fault_screenshots: [],
  request: null,
  forbidden_by: null,
};

/** The newest picture of the screen, and a button for another one. */
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
  const { screenshot, request, forbidden_by: forbiddenBy } = query.data ?? NOTHING;
  const isWaiting = ask.isPending || isOpenRequest(request);
  return (
    <Panel title={texts.screenshot} aside={screenshot && format.ago(screenshot.taken_at)}>
      {screenshot && (
        <figure className="flex flex-col gap-2">
          <img
            src={screenshot.image_url}
            alt={texts.screenshotAlt}
            className="max-h-[28rem] w-full rounded-lg border border-line bg-raised object-contain"
          />
          <figcaption className="text-muted">
            {screenshot.current
              ? texts.screenshotShows(screenshot.current.content_name ?? screenshot.current.content_id)
              : texts.screenshotShowsNothing}
          </figcaption>
        </figure>
      )}
      {query.error && <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />}
      {ask.error && <ErrorMessage error={ask.error} />}
      <p role="status" className="text-muted empty:hidden">
        {isWaiting
          ? texts.screenshotWaiting
          : forbiddenBy === null
            ? (problemOf(request, texts) ?? (query.data && !screenshot ? texts.noScreenshot : ''))
            : texts.forbiddenBy[forbiddenBy]}
      </p>
      {mayWrite && forbiddenBy === null && (
        <Button className="self-start" isBusy={isWaiting} onClick={() => ask.mutate()}>
          {texts.takeScreenshot}
        </Button>
      )}
    </Panel>
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
