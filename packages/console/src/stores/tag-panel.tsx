import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { tagsQuery } from '../api/tags.ts';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { useTexts } from './texts.ts';

/** The tags, with what has them; each leads to its screens. */
export function TagPanel() {
  const texts = useTexts();
  const tags = useQuery(tagsQuery);
  return (
    <Panel title={texts.tagsTitle}>
      {tags.error && <ErrorMessage error={tags.error} onRetry={() => void tags.refetch()} />}
      {tags.isPending && <Skeleton className="h-12" />}
      {tags.data?.length === 0 && <p className="text-muted">{texts.noTags}</p>}
      <ul className="flex flex-col">
        {tags.data?.map(({ tag, devices, content, schedules }) => (
          <li
            key={tag}
            className="flex flex-wrap items-baseline gap-x-4 border-t border-line py-2 first:border-0"
          >
            <span className="min-w-40 font-medium [overflow-wrap:anywhere]">{tag}</span>
            <Link to="/devices" search={{ tag }} className="text-accent underline">
              {texts.screens(devices)}
            </Link>
            <span className="text-muted">{texts.files(content)}</span>
            <span className="text-muted">{texts.schedules(schedules)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
