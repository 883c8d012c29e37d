import type { Data } from '@placard/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { renditionsQuery } from './content-queries.ts';
import { useTexts } from './texts.ts';

type Rendition = Data<'listRenditions'>[number];

/** The copy of a file for screens that cannot play it, if there is or could be one. */
export function Renditions({ id, mayWrite }: { id: string; mayWrite: boolean }) {
  const texts = useTexts();
  const queries = useQueryClient();
  const query = useQuery(renditionsQuery(id));
  const make = useMutation({
    mutationFn: () => placard.content.makeRendition(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: renditionsQuery(id).queryKey }),
  });
  const [rendition] = query.data ?? [];
  if (query.error) {
    return <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (!rendition || (rendition.state === 'possible' && !mayWrite)) {
    return null;
  }
  const mayMake = mayWrite && (rendition.state === 'possible' || rendition.state === 'failed');
  return (
    <section className="flex flex-col gap-1">
      <h3 className="font-medium">{texts.renditions}</h3>
      <State rendition={rendition} />
      {make.error && <ErrorMessage error={make.error} />}
      {mayMake && (
        <Button className="self-start" isBusy={make.isPending} onClick={() => make.mutate()}>
          {rendition.state === 'failed' ? texts.tryAgain : texts.makeRendition}
        </Button>
      )}
    </section>
  );
}

function State({ rendition: { state, failure } }: { rendition: Rendition }) {
  const texts = useTexts();
  if (state === 'possible') {
    return null;
  }
  const text =
    state === 'failed'
      ? failure && (texts.renditionFailures[failure.reason] ?? failure.message)
      : texts.renditionStates[state];
  return (
    <p className="text-muted" role="status">
      {text}
    </p>
  );
}
