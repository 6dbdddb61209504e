/** The fields of a webhook, for making one and for changing it. */
import { Button, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconInbox } from '@tabler/icons-react';
import { storedEventTypesQuery } from '../../api/events.ts';
import { createInspector, inspectorsQuery } from '../../api/inspectors.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import type { Form } from '../../ui/use-form.ts';
import { AdvancedFields } from './AdvancedFields.tsx';
import { BodyFields } from './BodyFields.tsx';
import { EventPicker } from './EventPicker.tsx';
import type { WebhookForm } from './webhook-form.ts';
import classes from './webhooks.module.css';

interface WebhookFieldsProps {
  form: Form<WebhookForm>;
  creating: boolean;
  moved: boolean;
}

export function WebhookFields({ form, creating, moved }: WebhookFieldsProps) {
  const { workspace } = useWorkspace();
  const { data: types = [] } = useQuery(storedEventTypesQuery(workspace.id));
  return (
    <Stack gap="lg">
      <div>
        <div className={classes.urlField}>
          <TextInput
            label="URL"
            description="Where events are posted to: a server of yours, or an automation platform."
            placeholder="https://example.com/hooks/fairlead"
            type="url"
            required
            spellCheck={false}
            maxLength={2048}
            data-autofocus
            {...form.text('url')}
          />
          {creating && <UseInspector onUrl={(url) => form.set('url', url)} />}
        </div>
      </div>
      <EventPicker
        types={types}
        value={form.values.events}
        onChange={(events) => form.set('events', events)}
        error={form.error('events')}
      />
      <Textarea
        label="Description"
        description="What it is for, so that you know later."
        placeholder="Order mirror of the shop"
        autosize
        minRows={1}
        maxRows={4}
        maxLength={500}
        {...form.text('description')}
      />
      <BodyFields form={form} types={types} />
      <AdvancedFields form={form} creating={creating} moved={moved} />
    </Stack>
  );
}

/** Makes a receiver address on this server, so that a first webhook needs no other. */
function UseInspector({ onUrl }: { onUrl: (url: string) => void }) {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const { data: inspectors } = useQuery(inspectorsQuery(workspace.id));
  const make = useMutation({
    mutationFn: () => createInspector(workspace.id, { name: `Inspector ${(inspectors?.length ?? 0) + 1}` }),
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
        loading={make.isPending}
        disabled={make.isSuccess}
        onClick={() => make.mutate()}
      >
        Use the built-in inspector
      </Button>
      {make.isSuccess && (
        <Text size="xs" c="dimmed" className={classes.wholeRow} role="status">
          {make.data.name} was made: what arrives there is shown live on the page Inspector.
        </Text>
      )}
      {make.error && (
        <div className={classes.wholeRow}>
          <ProblemAlert error={make.error} />
        </div>
      )}
    </>
  );
}
