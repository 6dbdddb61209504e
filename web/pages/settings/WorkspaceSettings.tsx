/** Name and address of the workspace, and its end. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { deleteWorkspace, updateWorkspace, workspacesQuery } from '../../api/workspaces.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ConfirmDialog, OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { Id } from '../../ui/Id.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useForm } from '../../ui/use-form.ts';
import { Section } from './Section.tsx';

export function WorkspaceSettings() {
  const { workspace } = useWorkspace();
  const write = useCan('workspaces:write');
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const form = useForm(
    {
      name: workspace.name,
      slug: workspace.slug,
      media_retention_days: workspace.media_retention_days,
    },
    (values) => updateWorkspace(workspace.id, values),
    async ({ slug }) => {
      await queryClient.fetchQuery({ ...workspacesQuery, staleTime: 0 });
      if (slug !== workspace.slug) {
        await navigate({ to: '/w/$workspace/settings', params: { workspace: slug }, replace: true });
      }
      notifyDone('Saved');
    },
  );
  const { name, slug, media_retention_days: days } = form.values;
  const same = name === workspace.name && slug === workspace.slug && days === workspace.media_retention_days;
  return (
    <>
      <Section title="Workspace">
        <form onSubmit={form.submit}>
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
            <TextInput
              label="Keep media for (days)"
              description="Older files are deleted for good, also those that messages refer to. Empty: they are kept for ever."
              type="number"
              inputMode="numeric"
              min={1}
              max={36_500}
              step={1}
              disabled={!write}
              value={days ?? ''}
              onChange={({ currentTarget }) =>
                form.set(
                  'media_retention_days',
                  currentTarget.value === '' ? null : currentTarget.valueAsNumber,
                )
              }
              error={form.error('media_retention_days')}
            />
            {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
            {write && (
              <>
                <AsCurl call={{ method: 'PATCH', path: `/workspaces/${workspace.id}`, body: form.values }} />
                <Group>
                  <Button type="submit" loading={form.pending} disabled={same}>
                    Save
                  </Button>
                </Group>
              </>
            )}
          </Stack>
        </form>
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
