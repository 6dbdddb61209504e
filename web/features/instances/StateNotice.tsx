/** Explains why an instance can't send and what to do about it. */
import { IconPencil, IconPlugConnected, IconPlugConnectedX } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import type { Instance } from '../../api/types.ts';
import { useCan } from '../../api/workspace-context.ts';
import { StateAlert } from '../../patterns/StateAlert.tsx';
import { getAdvice, stateTone } from './instance-text.ts';
import { useConnect } from './use-connect.ts';

interface StateNoticeProps {
  instance: Instance;
  /** Absent without permission to write. */
  onEdit: (() => void) | undefined;
}

export function StateNotice({ instance, onEdit }: StateNoticeProps) {
  const write = useCan('instances:write');
  const connect = useConnect();
  const advice = getAdvice(instance);
  if (!advice) return null;
  const tone = stateTone(instance.state);
  return (
    <StateAlert
      tone={tone === 'bad' || tone === 'warn' ? tone : 'idle'}
      icon={IconPlugConnectedX}
      title={advice.title}
      action={
        instance.state === 'failed'
          ? onEdit && { label: t('Edit settings'), icon: IconPencil, run: onEdit }
          : write &&
            instance.state === 'reconnecting' && {
              label: t('Retry now'),
              icon: IconPlugConnected,
              loading: connect.isPending,
              run: () => connect.mutate(instance.id),
            }
      }
    >
      {advice.text}
    </StateAlert>
  );
}
