/** Connects a new account: which channel, then its form. */
import { Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconArrowRight, IconChevronLeft } from '@tabler/icons-react';
import { channelsQuery, createInstance, setDesiredState } from '../../api/instances.ts';
import type { Channel, Instance } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { FormSheet } from '../../ui/FormSheet.tsx';
import { FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { notifyFailed } from '../../ui/notify.ts';
import { bodyOf, MASK } from './channel-form.ts';
import { ChannelForm } from './ChannelForm.tsx';
import classes from './channels.module.css';

interface ConnectSheetProps {
  opened: boolean;
  /** Name of the channel that was chosen. */
  channel: string | undefined;
  onChannel: (channel: string | undefined) => void;
  onClose: () => void;
  onDone: (instance: Instance) => void;
}

export function ConnectSheet({ opened, channel, onChannel, onClose, onDone }: ConnectSheetProps) {
  const { workspace } = useWorkspace();
  const channels = useQuery(channelsQuery(workspace.id));
  const chosen = channels.data?.find(({ id }) => id === channel);
  return (
    <FormSheet
      opened={opened}
      onClose={onClose}
      title={chosen ? `Connect ${chosen.title}` : 'Connect a channel'}
    >
      {channels.isPending && <LoadingList label="Loading channels" />}
      {channels.error && !channels.data && (
        <FailedList error={channels.error} retry={() => void channels.refetch()} />
      )}
      {channels.data && !chosen && <Choice channels={channels.data} onChoose={onChannel} />}
      {chosen && (
        <>
          <UnstyledButton className={classes.other} onClick={() => onChannel(undefined)}>
            <IconChevronLeft size={14} /> Another channel
          </UnstyledButton>
          <Text c="dimmed" mb="md">
            {chosen.description}
          </Text>
          <NewForm key={chosen.id} channel={chosen} onClose={onClose} onDone={onDone} />
        </>
      )}
    </FormSheet>
  );
}

function Choice({ channels, onChoose }: { channels: Channel[]; onChoose: (channel: string) => void }) {
  return (
    <ul className={classes.choice} aria-label="Channels">
      {channels.map(({ id, title, description, pairs }, index) => (
        <li key={id}>
          <UnstyledButton
            className={classes.channel}
            data-autofocus={index === 0 || undefined}
            onClick={() => onChoose(id)}
          >
            <span>
              <strong>{title}</strong>
              <span>{description}</span>
              {pairs && <span>May be paired by a QR code or a code.</span>}
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
  onClose: () => void;
  onDone: (instance: Instance) => void;
}

function NewForm({ channel, onClose, onDone }: NewFormProps) {
  const { workspace } = useWorkspace();
  return (
    <ChannelForm
      channel={channel}
      instance={null}
      action="Connect"
      save={async (values) => {
        const made = await createInstance(workspace.id, bodyOf(channel, values));
        // It is there from here on: what fails now is repaired on its page.
        await setDesiredState(workspace.id, made.id, 'connect').catch(notifyFailed);
        return made;
      }}
      calls={(values) => [
        { method: 'POST', path: '/instances', body: bodyOf(channel, values, MASK) },
        { method: 'POST', path: '/instances/ins_…/connect' },
      ]}
      onDone={onDone}
      onCancel={onClose}
    />
  );
}
