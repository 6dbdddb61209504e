/** Makes a group: the channel is asked, and what it refuses stands in the form. */
import { Button, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { createGroup } from '../../api/groups.ts';
import type { Instance, Job } from '../../api/types.ts';
import { groupOf, outcomesOf, refusedOf } from '../../api/use-action.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { FormSheet } from '../../ui/FormSheet.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { useForm } from '../../ui/use-form.ts';
import { IqClient } from './Asking.tsx';
import { settingsOf } from './group-text.ts';
import { InstanceField, WithInstances } from './InstanceField.tsx';
import { bodyOf, type NewGroupForm } from './new-group.ts';
import { PeopleField } from './PeopleField.tsx';
import { RefusedPeople } from './RefusedPeople.tsx';
import { useConfirm } from './use-confirm.ts';

interface NewGroupSheetProps {
  opened: boolean;
  /** What it begins with. */
  instanceId: string | undefined;
  onAsked: (job: Job | null) => void;
  onClose: () => void;
  onOpen: (groupId: string) => void;
}

export function NewGroupSheet(props: NewGroupSheetProps) {
  return (
    <FormSheet opened={props.opened} onClose={props.onClose} title="New group">
      <WithInstances>{(instances) => <NewGroupFields instances={instances} {...props} />}</WithInstances>
    </FormSheet>
  );
}

interface FieldsProps extends NewGroupSheetProps {
  instances: readonly [Instance, ...Instance[]];
}

function NewGroupFields({ instances, opened, instanceId, onAsked, onClose, onOpen }: FieldsProps) {
  const { workspace } = useWorkspace();
  const asking = useConfirm({ opened, onAsked, onAllDone: (job) => onOpen(groupOf(job)?.id ?? '') });
  const byId = (id: string | undefined) => instances.find((one) => one.id === id);
  const form = useForm<NewGroupForm, Job>(
    {
      instance_id: (byId(instanceId) ?? instances[0]).id,
      subject: '',
      description: '',
      settings: {},
      participants: [],
    },
    (values) => asking.ask(createGroup(workspace.id, bodyOf(values, byId(values.instance_id)))),
    asking.done,
  );
  const { values, set, error } = form;
  const instance = byId(values.instance_id);
  const settings = settingsOf(instance);
  const choose = (id: string) => {
    set('instance_id', id);
    // A contact's address is one of a channel.
    set(
      'participants',
      values.participants.filter(({ contactId }) => contactId === null),
    );
  };
  if (asking.partly) return <Partly job={asking.partly} onClose={onClose} onOpen={onOpen} />;
  return (
    <form onSubmit={form.submit} autoComplete="off">
      <Stack gap="lg">
        <InstanceField
          label="Account"
          instances={instances}
          value={values.instance_id}
          onChange={choose}
          error={error('instance_id')}
        />
        <TextInput
          label="Subject"
          description="What the group is called"
          required
          withAsterisk={false}
          maxLength={200}
          data-autofocus
          {...form.text('subject')}
        />
        {instance?.capabilities.operations.includes('group_description') && (
          <Textarea
            label="Description"
            autosize
            minRows={2}
            maxRows={6}
            maxLength={4000}
            {...form.text('description')}
          />
        )}
        <PeopleField
          label="Participants"
          description="Contacts by name, or any addresses of the channel"
          instanceId={values.instance_id}
          value={values.participants}
          onChange={(people) => set('participants', people)}
          error={form.at('participants')}
          errorAt={(at) =>
            form.at('participants', String(at), 'address') ??
            form.at('participants', String(at), 'contact_id')
          }
        />
        {settings.length > 0 && (
          <Stack gap="sm" role="group" aria-label="Settings">
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
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        {form.pending && <IqClient />}
        <AsCurl call={{ method: 'POST', path: '/groups', body: bodyOf(values, instance) }} />
        <div className={ui.dialogFoot}>
          <Button variant="default" onClick={onClose}>
            {form.pending ? 'Close' : 'Cancel'}
          </Button>
          <Button type="submit" loading={form.pending}>
            Make the group
          </Button>
        </div>
      </Stack>
    </form>
  );
}

interface PartlyProps {
  job: Job;
  onClose: () => void;
  onOpen: (groupId: string) => void;
}

function Partly({ job, onClose, onOpen }: PartlyProps) {
  const group = groupOf(job);
  return (
    <Stack>
      <Text role="status">
        {`The group is made. ${refusedOf(job).length} of ${outcomesOf(job).length} could not be added:`}
      </Text>
      <RefusedPeople job={job} />
      <div className={ui.dialogFoot}>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        {group && (
          <Button onClick={() => onOpen(group.id)} data-autofocus>
            Open the group
          </Button>
        )}
      </div>
    </Stack>
  );
}
