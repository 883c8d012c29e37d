import { useLayoutEffect, useRef, useState } from 'react';
import { placard } from '../api/placard.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { addLines } from './followed-log.ts';
import type { FollowedLog } from './followed-log.ts';
import { liveProblemOf } from './live-problem.ts';
import { useDeviceTexts } from './texts.ts';
import { useWhileLooking } from './while-looking.ts';

/** Between two requests. */
const INTERVAL_MS = 2_000;
/** The newest lines of the log of a player, and what is added while somebody looks. */
export function FollowLog({ deviceId }: { deviceId: string }) {
  const texts = useDeviceTexts();
  const [log, setLog] = useState<FollowedLog | null>(null);
  const { state, error, start, stop } = useWhileLooking(async (signal) => {
    const newest = await placard.devices.readLiveLog(deviceId, { signal });
    setLog((before) => addLines(before, newest));
  }, INTERVAL_MS);
  const pre = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  // Who has scrolled up reads there.
  useLayoutEffect(() => {
    if (isAtEnd.current && pre.current) {
      pre.current.scrollTop = pre.current.scrollHeight;
    }
  }, [log]);
  return (
    <>
      {error !== null && <ErrorMessage error={liveProblemOf(error, texts) ?? error} onRetry={start} />}
      {log && (
        <pre
          ref={pre}
          tabIndex={0}
          aria-label={texts.newestLines}
          onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
            isAtEnd.current = scrollHeight - scrollTop - clientHeight < 16;
          }}
          className="max-h-96 overflow-auto rounded-lg bg-raised p-3 text-xs whitespace-pre-wrap [overflow-wrap:anywhere]"
        >
          {log.lines.join('\n')}
        </pre>
      )}
      <div className="flex flex-wrap gap-2">
        {state === 'paused' && <Button onClick={start}>{texts.stillWatching}</Button>}
        <Button onClick={state === 'off' ? start : stop}>
          {state === 'off' ? texts.followLog : texts.stopLive}
        </Button>
      </div>
    </>
  );
}
