/** Creates an instance and connects it: first the channel, then its form. */
import { Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconArrowRight, IconChevronLeft } from '@tabler/icons-react';
import { send } from '../../api/call.ts';
import { t } from '../../copy/text.ts';
import { channelsQuery, createInstance, setDesiredState } from '../../api/instances.ts';
import type { Channel, Instance } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import type { ObjectDialogProps } from '../../patterns/actions/action.ts';
import { FormSheet } from '../../patterns/form/form-frame.tsx';
import { FailedList, LoadingList } from '../../patterns/ListStates.tsx';
import { notifyFailed } from '../../design/notify.ts';
import { ChannelIcon } from './ChannelIcon.tsx';
import { ConnectSteps } from './ConnectSteps.tsx';
import { toBody } from './instance-form.ts';
import { InstanceForm } from './InstanceForm.tsx';
import atoms from '../../design/atoms.module.css';
import classes from './instances.module.css';

const route = getRouteApi('/w/$workspace/instances');

export function CreateSheet({ opened, onClose, onDone }: ObjectDialogProps<Instance>) {
  const { with: channel } = route.useSearch();
  const navigate = route.useNavigate();
  const onChannel = (id: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, with: id }), replace: true });
  const { workspace } = useWorkspace();
  const channels = useQuery(channelsQuery(workspace.id));
  const chosen = channels.data?.find(({ id }) => id === channel);
  return (
    <FormSheet
      opened={opened}
      onClose={onClose}
      title={chosen ? t('Create {title} instance', { title: chosen.title }) : t('Create instance')}
    >
      {channels.isPending && <LoadingList label={t('Loading channels')} />}
      {channels.error && !channels.data && (
        <FailedList error={channels.error} retry={() => void channels.refetch()} />
      )}
      {channels.data && !chosen && <Choice channels={channels.data} onChoose={onChannel} />}
      {chosen && (
        <>
          <UnstyledButton className={classes.other} onClick={() => onChannel(undefined)}>
            <IconChevronLeft size={14} /> {t('All channels')}
          </UnstyledButton>
          <Text c="dimmed" mb="md">
            {chosen.description}
          </Text>
          <ConnectSteps channel={chosen.id} />
          <NewForm key={chosen.id} channel={chosen} onDone={onDone} />
        </>
      )}
    </FormSheet>
  );
}

function Choice({ channels, onChoose }: { channels: Channel[]; onChoose: (channel: string) => void }) {
  return (
    <ul className={classes.choice} aria-label={t('Channels')}>
      {channels.map(({ id, title, description, pairs }, index) => (
        <li key={id}>
          <UnstyledButton
            className={`${classes.channel} ${atoms.hoverable}`}
            data-autofocus={index === 0 || undefined}
            onClick={() => onChoose(id)}
          >
            <ChannelIcon channel={id} size={22} />
            <span>
              <strong>{title}</strong>
              <span>{description}</span>
              {/* The sandbox pairs only if its settings say so. */}
              {pairs && id !== 'sandbox' && <span>{t('Pairs with a QR code or a pairing code.')}</span>}
            </span>
            <IconArrowRight size={16} />
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}

interface NewFormProps {
  channel: Channel;
  onDone: (instance: Instance) => void;
}

function NewForm({ channel, onDone }: NewFormProps) {
  const { workspace } = useWorkspace();
  return (
    <InstanceForm
      channel={channel}
      instance={null}
      action={t('Create instance')}
      call={(values, mask) => createInstance(toBody(channel, values, mask))}
      send={async (call) => {
        const created = await send(workspace.id, call);
        // The instance exists now; its page shows why it can't connect.
        await send(workspace.id, setDesiredState(created.id, 'connect')).catch(notifyFailed);
        return created;
      }}
      further={{ method: 'POST', path: '/instances/ins_…/connect' }}
      onDone={onDone}
    />
  );
}
