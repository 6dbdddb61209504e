/** Name, slug, time zone and retention of the workspace, and its deletion. */
import { Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { NumberField } from '../../design/NumberField.tsx';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { rich, t } from '../../copy/text.ts';
import { deleteWorkspace, updateWorkspace, workspacesQuery } from '../../api/workspaces.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { changes } from '../../design/changes.ts';
import { ConfirmAction } from '../../patterns/lazy-dialogs.tsx';
import { Id } from '../../design/Id.tsx';
import { notifyDone } from '../../design/notify.ts';
import { TimeZoneSelect } from '../../design/TimeZoneSelect.tsx';
import { FormProblem } from '../../patterns/form/FormProblem.tsx';
import { useEditForm } from '../../patterns/form/use-edit-form.ts';
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import { Section } from './Section.tsx';
import { isShorter, ShorterRetention } from './ShorterRetention.tsx';

/** The fields of the workspace that differ from `base`. */
const toChange = <V extends { metadata: MetadataPair[] }>({ metadata, ...values }: V, base: object) =>
  changes({ ...values, metadata: getMetadata(metadata) }, base);

export function WorkspaceSettings() {
  const { workspace } = useWorkspace();
  const write = useCan('workspaces:write');
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const form = useEditForm({
    object: workspace,
    fill: ({
      name,
      slug,
      time_zone,
      store_model_calls,
      message_retention_days,
      media_retention_days,
      metadata,
    }) => ({
      name,
      slug,
      time_zone,
      store_model_calls,
      message_retention_days,
      media_retention_days,
      metadata: toPairs(metadata),
    }),
    call: (values, base) => updateWorkspace(base.id, toChange(values, base)),
    done: async ({ slug }, { reload }) => {
      await reload();
      await queryClient.fetchQuery({ ...workspacesQuery, staleTime: 0 });
      if (slug !== workspace.slug) {
        await navigate({ to: '/w/$workspace/settings', params: { workspace: slug }, replace: true });
      }
      notifyDone(t('Changes saved'));
    },
  });
  const changed = toChange(form.values, form.base);
  const same = Object.keys(changed).length === 0;
  const [confirming, setConfirming] = useState(false);
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (isShorter(form.base, changed)) setConfirming(true);
    else form.submit();
  };
  const days = (
    name: 'message_retention_days' | 'media_retention_days',
    label: string,
    description: string,
  ) => (
    <NumberField
      label={label}
      description={description}
      min={1}
      max={36_500}
      disabled={!write}
      value={form.values[name]}
      onChange={(text) => form.set(name, text === '' ? null : Number(text))}
      error={form.error(name)}
    />
  );
  return (
    <>
      <Section title={t('Workspace')}>
        <form onSubmit={submit}>
          <Stack>
            <Group gap="xs">
              <Text c="dimmed">{t('ID')}</Text>
              <Id id={workspace.id} of={t('Workspace ID')} />
            </Group>
            <TextInput label={t('Name')} required disabled={!write} {...form.text('name')} />
            <TextInput
              label={t('Slug')}
              description={t('Used in the URLs of this console. Changing it breaks existing bookmarks.')}
              required
              disabled={!write}
              {...form.text('slug')}
            />
            <TimeZoneSelect
              label={t('Time zone')}
              description={t(
                'In this time zone, daily budgets reset at midnight and monthly budgets on the first of the month.',
              )}
              disabled={!write}
              value={form.values.time_zone}
              onChange={(zone) => form.set('time_zone', zone)}
              error={form.error('time_zone')}
            />
            {days(
              'message_retention_days',
              t('Message retention (days)'),
              t('Older messages and their files are permanently deleted. Leave blank to keep them forever.'),
            )}
            {days(
              'media_retention_days',
              t('Media retention (days)'),
              t(
                'Older files are permanently deleted, including files in messages. Leave blank to keep them forever.',
              ),
            )}
            <Switch
              label={t('Store prompts and responses of model calls')}
              description={t(
                'They are encrypted and kept for 7 days. Owners and admins see them under Model usage.',
              )}
              disabled={!write}
              checked={form.values.store_model_calls}
              onChange={({ currentTarget }) => form.set('store_model_calls', currentTarget.checked)}
            />
            {write && <MetadataField form={form} />}
            <FormProblem form={form} />
            {write && (
              <>
                <AsCurl call={form.call} />
                <Group>
                  <Button type="submit" loading={form.pending} disabled={same}>
                    {t('Save')}
                  </Button>
                </Group>
              </>
            )}
          </Stack>
        </form>
        <ShorterRetention
          opened={confirming}
          before={form.base}
          after={changed}
          save={form.submit}
          onClose={() => setConfirming(false)}
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
      title={t('Delete workspace')}
      description={t("Deletes the workspace and all of its data within a day. This can't be undone.")}
    >
      <Group>
        <Button variant="default" c="var(--mantine-color-error)" onClick={() => setOpened(true)}>
          {t('Delete workspace')}
        </Button>
      </Group>
      <ConfirmAction
        opened={opened}
        title={t('Delete workspace “{name}”?', { name: workspace.name })}
        confirm={t('Delete workspace')}
        disabled={typed !== workspace.slug}
        call={deleteWorkspace(workspace.id, workspace.slug)}
        onDone={async () => {
          close();
          await queryClient.fetchQuery({ ...workspacesQuery, staleTime: 0 });
          await navigate({ to: '/' });
          notifyDone(t('Workspace deleted'));
        }}
        onClose={close}
      >
        <Stack>
          <Text>
            {rich(
              'All API keys stop working, all members lose access and all data is deleted. To confirm, type <slug>{slug}</slug>.',
              { slug: (words) => <strong>{words}</strong> },
              { slug: workspace.slug },
            )}
          </Text>
          <TextInput
            aria-label={t('Workspace slug')}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </Stack>
      </ConfirmAction>
    </Section>
  );
}
