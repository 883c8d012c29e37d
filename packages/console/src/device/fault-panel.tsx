import { useQuery } from '@tanstack/react-query';
import { useFaultTexts } from '../i18n/fault-texts.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { Panel } from '../ui/panel.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { deviceScreenshotQuery } from './device-queries.ts';
import type { DeviceDetail, ScreenshotState } from './device-queries.ts';
import { useDeviceTexts } from './texts.ts';

type FaultPicture = ScreenshotState['fault_screenshots'][number];

/** What is wrong with a device, and what it showed when that began; below, pictures of faults that are over. */
export function FaultPanel({ device }: { device: DeviceDetail }) {
  const messages = useMessages();
  const texts = useDeviceTexts();
  const format = useFormat();
  const advice = useFaultTexts();
  const pictures = useQuery(deviceScreenshotQuery(device.id)).data?.fault_screenshots ?? [];
  const active = new Set(device.faults.map(({ code }) => code));
  const earlier = pictures.filter(({ fault_code: code }) => code === null || !active.has(code));
  return (
    <Panel title={messages.faults}>
      {device.faults.length === 0 ? (
        <p className="text-muted">{messages.noFaults}</p>
      ) : (
        <ul className="flex flex-col gap-2">
          {device.faults.map((fault) => (
            <li key={fault.code} className="flex flex-wrap gap-x-4 rounded-lg bg-warn-panel p-3 text-warn">
              <StatusMark kind="warn" label={fault.code} />
              <span>{messages.showsSince(format.instant(fault.since))}</span>
              <p className="basis-full text-text">{advice.get(fault.code)}</p>
              {pictures
                .filter(({ fault_code: code }) => code === fault.code)
                .map((picture) => (
                  <Picture key={picture.image_url} picture={picture} />
                ))}
            </li>
          ))}
        </ul>
      )}
      {earlier.length > 0 && (
        <>
          <h3 className="text-muted">{texts.earlierFaults}</h3>
          <ul className="flex flex-wrap gap-3">
            {earlier.map((picture) => (
              <li key={picture.image_url} className="flex min-w-0 flex-col gap-1">
                <Picture picture={picture} />
                <span className="[overflow-wrap:anywhere]">{picture.fault_code}</span>
                <span className="text-muted">{format.instant(picture.taken_at)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

/** Small; the whole picture is a click away. */
function Picture({ picture }: { picture: FaultPicture }) {
  const texts = useDeviceTexts();
  return (
    <a href={picture.image_url} target="_blank" rel="noreferrer" className="mt-2 block">
      <img
        src={picture.image_url}
        alt={texts.faultPictureAlt(picture.fault_code ?? '')}
        loading="lazy"
        className="h-28 max-w-full rounded-lg border border-line bg-raised object-contain"
      />
    </a>
  );
}
