import { useQuery } from '@tanstack/react-query';
import { storesQuery } from '../api/stores.ts';
import type { Target } from './schedule-draft.ts';
import { deviceNameQuery } from './schedule-queries.ts';
import { useTexts } from './texts.ts';

/** The words for a target, with the name of what it refers to. */
export function useTargetName(target: Target): string {
  const texts = useTexts();
  const stores = useQuery({ ...storesQuery, enabled: target.type === 'store' });
  const device = useQuery({
    ...deviceNameQuery(target.type === 'device' ? target.id : ''),
    enabled: target.type === 'device',
  });
  if (target.type === 'all') {
    return texts.target.all;
  }
  if (target.type === 'tag') {
    return texts.target.tag(target.value);
  }
  return target.type === 'store'
    ? texts.target.store(stores.data?.get(target.id) ?? '…')
    : texts.target.device(device.data ?? '…');
}

export function TargetName({ target }: { target: Target }) {
  return useTargetName(target);
}
