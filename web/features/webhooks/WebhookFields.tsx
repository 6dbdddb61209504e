/** The fields of the webhook form. */
import { Button, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconInbox } from '@tabler/icons-react';
import { send } from '../../api/call.ts';
import { t } from '../../copy/text.ts';
import { storedEventTypesQuery } from '../../api/events.ts';
import { createInspector, inspectorsQuery } from '../../api/inspectors.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import { AdvancedFields } from './AdvancedFields.tsx';
import { BodyFields } from './BodyFields.tsx';
import { EventPicker } from './EventPicker.tsx';
import type { WebhookForm } from './webhook-form.ts';
import classes from './webhooks.module.css';

interface WebhookFieldsProps {
  form: ApiForm<WebhookForm>;
  creating: boolean;
  originChanged: boolean;
}

export function WebhookFields({ form, creating, originChanged }: WebhookFieldsProps) {
  const { workspace } = useWorkspace();
  const { data: types = [] } = useQuery(storedEventTypesQuery(workspace.id));
  return (
    <Stack gap="lg">
      <div>
        <div className={classes.urlField}>
          <TextInput
            label="URL"
            description={t('The endpoint that receives events: your server or an automation platform.')}
            placeholder="https://example.com/hooks/fairlead"
            type="url"
            required
            spellCheck={false}
            maxLength={2048}
            data-autofocus
            {...form.text('url')}
          />
          <UseInspector onUrl={(url) => form.set('url', url)} />
        </div>
      </div>
      <EventPicker
        description={t('The events to send. A pattern also includes types added later.')}
        types={types}
        value={form.values.events}
        onChange={(events) => form.set('events', events)}
        error={form.error('events')}
      />
      <Textarea
        label={t('Description')}
        description={t('A note to help you recognize this webhook.')}
        placeholder={t('Sync orders to the shop')}
        autosize
        minRows={1}
        maxRows={4}
        maxLength={500}
        {...form.text('description')}
      />
      <BodyFields form={form} types={types} />
      <MetadataField form={form} />
      <AdvancedFields form={form} creating={creating} originChanged={originChanged} />
    </Stack>
  );
}

/** Creates an inspector and uses its URL, for users without a server to receive events. */
function UseInspector({ onUrl }: { onUrl: (url: string) => void }) {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const { data: inspectors } = useQuery(inspectorsQuery(workspace.id));
  const creation = useMutation({
    mutationFn: () =>
      send(
        workspace.id,
        createInspector({
          name: t('Inspector {number}', { number: (inspectors?.length ?? 0) + 1 }),
        }),
      ),
    onSuccess: ({ url }) => {
      if (url !== null) onUrl(url);
      void queryClient.invalidateQueries({ queryKey: inspectorsQuery(workspace.id).queryKey });
    },
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconInbox size={16} />}
        loading={creation.isPending}
        disabled={creation.isSuccess}
        onClick={() => creation.mutate()}
      >
        {t('Use inspector')}
      </Button>
      {creation.isSuccess && (
        <Text size="xs" c="dimmed" className={classes.wholeRow} role="status">
          {t('Created {name}. View incoming requests live on the Inspector page.', {
            name: creation.data.name,
          })}
        </Text>
      )}
      {creation.error && (
        <div className={classes.wholeRow}>
          <ProblemAlert error={creation.error} />
        </div>
      )}
    </>
  );
}
