import { useMessages } from '../i18n/language.tsx';
import { describeWarning } from './video-warning.ts';
import type { Warning } from './video-warning.ts';

/** What an answer warns of, with the names of the videos. */
export function Warnings({ warnings }: { warnings: readonly Warning[] }) {
  const messages = useMessages();
  return warnings.map((warning) => (
    <p key={warning.message} className="text-warn [overflow-wrap:anywhere]">
      ▲ {describeWarning(warning, messages)}
      {warning.content && (
        <span className="text-muted"> ({warning.content.map(({ name }) => name).join(', ')})</span>
      )}
    </p>
  ));
}
