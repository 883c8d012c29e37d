import type { ReactNode } from 'react';
import { useIsBound } from '../api/account.ts';
import { PageFrame } from '../ui/page-frame.tsx';
import type { PageFrameProps } from '../ui/page-frame.tsx';
import { useTexts } from './texts.ts';

/** A page about rollouts. People who are bound to stores are told that they see none, and the API is asked nothing. */
export function RolloutsFrame({
  aside,
  children,
  ...props
}: Omit<PageFrameProps, 'children'> & {
  /** Called when the person may see it. */
  children: () => ReactNode;
}) {
  const texts = useTexts();
  const isBound = useIsBound();
  return (
    <PageFrame {...props} aside={!isBound && aside}>
      {isBound ? <p className="max-w-prose text-muted">{texts.notForBound}</p> : children()}
    </PageFrame>
  );
}
