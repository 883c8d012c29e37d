import type { Data } from '@placard/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { Warnings } from '../ui/warnings.tsx';
import { useFleetTexts } from './texts.ts';

type Operation = Data<'createOperation'>;
const SHOWN = 50;

/** How far an operation is, and what came of it for each device: failures first. */
export function BulkProgress({ first }: { first: Operation }) {
  const texts = useFleetTexts();
  const format = useFormat();
  const queries = useQueryClient();
  const { data: operation = first, error } = useQuery({
    queryKey: ['operations', first.id],
    queryFn: ({ signal }) => placard.operations.get(first.id, { signal }),
    // Events come with most steps; this is for those that are lost.
    refetchInterval: ({ state }) => (isOver(state.data ?? first) ? false : 2000),
  });
  const results = useQuery({
    queryKey: ['operations', first.id, 'results'],
    queryFn: async ({ signal }) => {
      const read = async (status: 'failed' | 'succeeded') =>
        (await placard.operations.listResults(first.id, { status, limit: SHOWN }, { signal }).page()).data;
      return [...(await read('failed')), ...(await read('succeeded'))].slice(0, SHOWN);
    },
  });
  const cancel = useMutation({
    mutationFn: () => placard.operations.cancel(first.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['operations', first.id] }),
  });
  const done = operation.succeeded + operation.failed;
  return (
    <div className="flex min-h-0 flex-col gap-3">
      <p role="status" className="flex flex-wrap justify-between gap-2">
        <span>{texts.progress(format.number(done), format.number(operation.total))}</span>
        {operation.failed > 0 && (
          <StatusMark kind="bad" label={texts.failedCount(format.number(operation.failed))} />
        )}
      </p>
      <progress
        aria-label={texts.progress(format.number(done), format.number(operation.total))}
        max={Math.max(operation.total, 1)}
        value={done}
        className="h-2 w-full accent-(--accent)"
      />
      <p className="text-muted">
        {operation.status === 'finished'
          ? texts.finished
          : operation.status === 'cancelled'
            ? texts.cancelled
            : texts.running}
      </p>
      {first.warnings && <Warnings warnings={first.warnings} />}
      {(error ?? cancel.error) && <ErrorMessage error={error ?? cancel.error} />}
      <ul className="flex max-h-64 flex-col overflow-y-auto" tabIndex={0}>
        {results.data?.map((result) => (
          <li key={result.device_id} className="border-t border-line py-2 first:border-0">
            <StatusMark
              kind={result.status === 'failed' ? 'bad' : 'good'}
              label={result.device_name ?? result.device_id}
            />
            {result.error && <p className="ps-5 text-bad">{result.error.message}</p>}
          </li>
        ))}
      </ul>
      {!isOver(operation) && (
        <Button isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
          {texts.stop}
        </Button>
      )}
    </div>
  );
}

const isOver = ({ status }: Operation): boolean => status === 'finished' || status === 'cancelled';
