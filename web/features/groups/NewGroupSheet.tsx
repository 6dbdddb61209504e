/** Creates a group on a channel. The form shows the errors of the channel. */
import { Button, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { t } from '../../copy/text.ts';
import { instanceQuery } from '../../api/instances.ts';
import { createGroup } from '../../api/groups.ts';
import type { Instance, Job } from '../../api/types.ts';
import { getGroup, getOutcomes, getRefused } from '../../api/use-action.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { FormBody, FormSheet } from '../../patterns/form/form-frame.tsx';
import ui from '../../design/ui.module.css';
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import { WaitingForChannel } from './WaitingForChannel.tsx';
import { getSettings } from './group-text.ts';
import { InstanceSelect } from '../instances/InstanceSelect.tsx';
import { WithGroupInstance } from './WithGroupInstance.tsx';
import { toBody, type NewGroupForm } from './new-group.ts';
import { PeopleField } from './PeopleField.tsx';
import { RejectedPeople } from './RejectedPeople.tsx';
import { framed, useChannelJob } from './use-channel-job.ts';

interface NewGroupSheetProps {
  opened: boolean;
  /** Initial value. */
  instanceId: string | undefined;
  onStarted: (job: Job | null) => void;
  onClose: () => void;
  onOpen: (groupId: string) => void;
}

export function NewGroupSheet(props: NewGroupSheetProps) {
  return (
    <FormSheet opened={props.opened} onClose={props.onClose} title={t('Create group')}>
      <WithGroupInstance>{(first) => <NewGroupFields first={first} {...props} />}</WithGroupInstance>
    </FormSheet>
  );
}

interface FieldsProps extends NewGroupSheetProps {
  /** Selected by default. */
  first: Instance;
}

function NewGroupFields({ first, opened, instanceId, onStarted, onClose, onOpen }: FieldsProps) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const channelJob = useChannelJob({
    opened,
    onStarted,
    onAllDone: (job) => onOpen(getGroup(job)?.id ?? ''),
  });
  const form = useApiForm<NewGroupForm, Job>(
    {
      instance_id: instanceId ?? first.id,
      subject: '',
      description: '',
      settings: {},
      participants: [],
    },
    async (values) => {
      const chosen = await client.ensureQueryData(instanceQuery(workspace.id, values.instance_id));
      return channelJob.run(createGroup(toBody(values, chosen)));
    },
    channelJob.done,
  );
  const { values, set, error } = form;
  const { data: instance } = useQuery(instanceQuery(workspace.id, values.instance_id));
  const settings = getSettings(instance);
  const choose = (id: string) => {
    set('instance_id', id);
    // The address of a contact belongs to an instance.
    set(
      'participants',
      values.participants.filter(({ contactId }) => contactId === null),
    );
  };
  if (channelJob.partly) return <Partly job={channelJob.partly} onClose={onClose} onOpen={onOpen} />;
  return (
    <FormBody
      form={framed(form)}
      submit={t('Create group')}
      call={createGroup(toBody(values, instance))}
      gap="lg"
    >
      <InstanceSelect
        label={t('Instance')}
        operation="groups"
        connected
        value={values.instance_id}
        onChange={choose}
        error={error('instance_id')}
      />
      <TextInput label={t('Name')} required maxLength={200} data-autofocus {...form.text('subject')} />
      {instance?.capabilities.operations.includes('group_description') && (
        <Textarea
          label={t('Description')}
          autosize
          minRows={2}
          maxRows={6}
          maxLength={4000}
          {...form.text('description')}
        />
      )}
      <PeopleField
        label={t('Participants')}
        description={t('Contacts, or any address on this channel.')}
        instanceId={values.instance_id}
        value={values.participants}
        onChange={(people) => set('participants', people)}
        error={form.at('participants')}
        errorAt={(at) =>
          form.at('participants', String(at), 'address') ?? form.at('participants', String(at), 'contact_id')
        }
      />
      {settings.length > 0 && (
        <Stack gap="sm" role="group" aria-label={t('Settings')}>
          {settings.map(({ name, label, description }) => (
            <Switch
              key={name}
              label={label}
              description={description}
              checked={values.settings[name] ?? false}
              onChange={({ currentTarget }) =>
                set('settings', { ...values.settings, [name]: currentTarget.checked })
              }
            />
          ))}
        </Stack>
      )}
      {form.pending && <WaitingForChannel />}
    </FormBody>
  );
}

interface PartlyProps {
  job: Job;
  onClose: () => void;
  onOpen: (groupId: string) => void;
}

function Partly({ job, onClose, onOpen }: PartlyProps) {
  const group = getGroup(job);
  return (
    <Stack>
      <Text role="status">
        {t("Group created. {rejected} of {total} people couldn't be added:", {
          rejected: getRefused(job).length,
          total: getOutcomes(job).length,
        })}
      </Text>
      <RejectedPeople job={job} />
      <div className={ui.dialogFoot}>
        <Button variant="default" onClick={onClose}>
          {t('Close')}
        </Button>
        {group && (
          <Button onClick={() => onOpen(group.id)} data-autofocus>
            {t('Open group')}
          </Button>
        )}
      </div>
    </Stack>
  );
}
