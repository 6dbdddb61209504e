/** Name and address of the workspace, and its end. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { deleteWorkspace, updateWorkspace, workspacesQuery } from '../../api/workspaces.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { changes } from '../../ui/changes.ts';
import { ConfirmDialog, OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { Id } from '../../ui/Id.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useForm } from '../../ui/use-form.ts';
import { Section } from './Section.tsx';
import { isShorter, ShorterRetention } from './ShorterRetention.tsx';

export function WorkspaceSettings() {
  const { workspace } = useWorkspace();
  const write = useCan('workspaces:write');
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const form = useForm(
    {
      name: workspace.name,
      slug: workspace.slug,
      message_retention_days: workspace.message_retention_days,
      media_retention_days: workspace.media_retention_days,
    },
    (values) => updateWorkspace(workspace.id, changes(values, workspace)),
    async ({ slug }) => {
      await queryClient.fetchQuery({ ...workspacesQuery, staleTime: 0 });
      if (slug !== workspace.slug) {
        await navigate({ to: '/w/$workspace/settings', params: { workspace: slug }, replace: true });
      }
      notifyDone('Saved');
    },
  );
  const changed = changes(form.values, workspace);
  const same = Object.keys(changed).length === 0;
  const [asking, setAsking] = useState(false);
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (isShorter(workspace, changed)) setAsking(true);
    else form.submit();
  };
  const days = (
    name: 'message_retention_days' | 'media_retention_days',
    label: string,
    description: string,
  ) => (
    <TextInput
      label={label}
      description={description}
      type="number"
      inputMode="numeric"
      min={1}
      max={36_500}
      step={1}
      disabled={!write}
      value={form.values[name] ?? ''}
      onChange={({ currentTarget }) =>
        form.set(name, currentTarget.value === '' ? null : currentTarget.valueAsNumber)
      }
      error={form.error(name)}
    />
  );
  return (
    <>
      <Section title="Workspace">
        <form onSubmit={submit}>
          <Stack>
            <Group gap="xs">
              <Text c="dimmed">Id</Text>
              <Id id={workspace.id} of="workspace id" />
            </Group>
            <TextInput label="Name" required withAsterisk={false} disabled={!write} {...form.text('name')} />
            <TextInput
              label="Slug"
              description="Its name in addresses of this console. Old addresses stop working when it changes."
              required
              withAsterisk={false}
              disabled={!write}
              {...form.text('slug')}
            />
            {days(
              'message_retention_days',
              'Keep messages for (days)',
              'Older messages are deleted for good, with the files that came with them; what is still to be sent stays. Empty: they are kept for ever.',
            )}
            {days(
              'media_retention_days',
              'Keep media for (days)',
              'Older files are deleted for good, also those that messages refer to. Empty: they are kept for ever.',
            )}
            {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
            {write && (
              <>
                <AsCurl call={{ method: 'PATCH', path: `/workspaces/${workspace.id}`, body: changed }} />
                <Group>
                  <Button type="submit" loading={form.pending} disabled={same}>
                    Save
                  </Button>
                </Group>
              </>
            )}
          </Stack>
        </form>
        <ShorterRetention
          opened={asking}
          before={workspace}
          after={changed}
          save={form.submit}
          onClose={() => setAsking(false)}
        />
      </Section>
      {workspace.role === 'owner' && <DeleteWorkspace />}
    </>
  );
}

function DeleteWorkspace() {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [opened, setOpened] = useState(false);
  const [typed, setTyped] = useState('');
  const close = () => {
    setOpened(false);
    setTyped('');
  };
  return (
    <Section
      title="Delete the workspace"
      description="Its keys stop at once and everything in it is erased within a day. This can't be undone."
    >
      <Group>
        <Button color="red" variant="light" onClick={() => setOpened(true)}>
          Delete workspace
        </Button>
      </Group>
      <OnceOpened opened={opened}>
        <ConfirmDialog
          opened={opened}
          title={`Delete ${workspace.name}?`}
          confirm="Delete for good"
          disabled={typed !== workspace.slug}
          call={{ method: 'DELETE', path: `/workspaces/${workspace.id}?slug=${workspace.slug}` }}
          action={() => deleteWorkspace(workspace.id, typed)}
          onDone={async () => {
            close();
            await queryClient.fetchQuery({ ...workspacesQuery, staleTime: 0 });
            await navigate({ to: '/' });
            notifyDone(`${workspace.name} is deleted`);
          }}
          onClose={close}
        >
          <Stack>
            <Text>
              All keys stop, all members lose access, and everything in it is erased. Type{' '}
              <strong>{workspace.slug}</strong> to confirm.
            </Text>
            <TextInput
              aria-label="Slug of the workspace"
              autoComplete="off"
              spellCheck={false}
              data-autofocus
              value={typed}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          </Stack>
        </ConfirmDialog>
      </OnceOpened>
    </Section>
  );
}
