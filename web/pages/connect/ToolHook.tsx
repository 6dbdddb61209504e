/** Has events posted to a tool: a form, then the webhook that was made, tested and watched from here. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { AnsweredWebhook } from '../../api/types.ts';
import { createWebhook, testWebhook, webhookHealthQuery } from '../../api/webhooks.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { LinesField } from '../../ui/LinesField.tsx';
import { TextLink } from '../../ui/links.tsx';
import { notifyFailed } from '../../ui/notify.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { useForm } from '../../ui/use-form.ts';
import { Waiting } from '../overview/Arrival.tsx';
import type { Tool } from './tools.ts';

/** While one looks whether it works. */
const POLL_MS = 1000;

interface Fields {
  url: string;
  events: string[];
}

interface ToolHookProps {
  tool: Tool;
  onDone: (webhook: AnsweredWebhook) => void;
}

export function ToolHook({ tool, onDone }: ToolHookProps) {
  const { workspace } = useWorkspace();
  const bodyOf = ({ url, events }: Fields) => ({
    url: url.trim(),
    events,
    kind: tool.hook?.kind ?? 'custom',
    description: tool.name,
  });
  const form = useForm<Fields, AnsweredWebhook>(
    { url: '', events: ['message.received'] },
    (values) => createWebhook(workspace.id, bodyOf(values)),
    onDone,
  );
  // A fault of one line is told under all of them.
  const eventFault =
    form.error('events') ?? form.values.events.map((_, at) => form.at('events', String(at))).find(Boolean);
  return (
    <form onSubmit={form.submit}>
      <Stack maw={560}>
        <TextInput
          label={`Address in ${tool.name}`}
          type="url"
          required
          withAsterisk={false}
          placeholder={tool.hook?.placeholder}
          {...form.text('url')}
        />
        <LinesField
          label="Events"
          description="One a line; message.* means all about messages. The catalogue under Events lists them."
          value={form.values.events}
          onChange={(events) => form.set('events', events)}
          error={eventFault}
        />
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl call={{ method: 'POST', path: '/webhooks', body: bodyOf(form.values) }} />
        <Group>
          <Button
            type="submit"
            loading={form.pending}
            disabled={form.values.url.trim() === '' || form.values.events.length === 0}
          >
            Create webhook
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A test on request, and what became of what was sent last. */
export function HookCheck({ webhook }: { webhook: AnsweredWebhook }) {
  const { workspace } = useWorkspace();
  const { data: health } = useQuery({
    ...webhookHealthQuery(workspace.id, webhook.id),
    refetchInterval: POLL_MS,
  });
  const sending = useMutation({
    mutationFn: () => testWebhook(workspace.id, webhook.id),
    onError: notifyFailed,
  });
  return (
    <Stack gap="sm">
      {health?.state === 'healthy' ? (
        <Text role="status">
          Your tool answered. Events go to <span className={ui.mono}>{webhook.url}</span>.
        </Text>
      ) : health?.state === 'failing' ? (
        <Text role="status" c="dimmed">
          Your tool did not take what was sent; it is tried again.
        </Text>
      ) : (
        <Waiting>Nothing was delivered yet. A test sends the event ping.</Waiting>
      )}
      <Group gap="sm">
        <Button variant="default" size="xs" loading={sending.isPending} onClick={() => sending.mutate()}>
          Send a test
        </Button>
        <TextLink
          to="/w/$workspace/webhooks/$id"
          params={{ workspace: workspace.slug, id: webhook.id }}
          size="sm"
        >
          Look at its deliveries
        </TextLink>
      </Group>
    </Stack>
  );
}
