/** Sends events to a tool: a form that creates the webhook, then a check that deliveries succeed. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { send } from '../../api/call.ts';
import { rich, t } from '../../copy/text.ts';
import { fieldProblem } from '../../api/problem.ts';
import type { AnsweredWebhook } from '../../api/types.ts';
import { createWebhook, testWebhook, webhookHealthQuery } from '../../api/webhooks.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { withScheme } from '../../design/addresses.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { LinesField } from '../../design/LinesField.tsx';
import { TextLink } from '../../design/links.tsx';
import { notifyFailed } from '../../design/notify.ts';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import ui from '../../design/ui.module.css';
import { useCallForm } from '../../patterns/form/use-api-form.ts';
import { Waiting } from '../overview/Arrival.tsx';
import type { Tool } from './tools.ts';

/** Short, because the user is waiting for the result of a test. */
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
  const form = useCallForm<Fields, AnsweredWebhook>(
    { url: '', events: ['message.received'] },
    ({ url, events }, isShown) => {
      if (!isShown && url.trim() === '')
        throw fieldProblem('/url', t('Enter a URL, such as https://example.com'));
      if (!isShown && events.length === 0) throw fieldProblem('/events', t('Enter at least one event type.'));
      const kind = tool.hook?.kind ?? 'custom';
      return createWebhook({ url: withScheme(url), events, kind, description: tool.name });
    },
    onDone,
  );
  // An error in any line is shown below the field.
  const eventError =
    form.error('events') ?? form.values.events.map((_, at) => form.at('events', String(at))).find(Boolean);
  return (
    <form onSubmit={form.submit}>
      <Stack maw={560}>
        <TextInput
          label={t('{name} webhook URL', { name: tool.name })}
          type="url"
          required
          placeholder={tool.hook?.placeholder}
          {...form.text('url')}
        />
        <LinesField
          label={t('Events')}
          description={t('One event type per line, for example message.received or message.*.')}
          value={form.values.events}
          onChange={(events) => form.set('events', events)}
          error={eventError}
        />
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl call={form.call} />
        <Group>
          <Button type="submit" loading={form.pending}>
            {t('Create webhook')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Shows whether deliveries to the webhook succeed, and sends test events. */
export function HookCheck({ webhook }: { webhook: AnsweredWebhook }) {
  const { workspace } = useWorkspace();
  const { data: health } = useQuery({
    ...webhookHealthQuery(workspace.id, webhook.id),
    refetchInterval: POLL_MS,
  });
  const sending = useMutation({
    mutationFn: () => send(workspace.id, testWebhook(webhook.id)),
    onError: notifyFailed,
  });
  return (
    <Stack gap="sm">
      {health?.state === 'healthy' || health?.state === 'degraded' ? (
        <Text role="status">
          {rich(
            'Connected. Events are sent to <url>{url}</url>.',
            { url: (words) => <span className={ui.mono}>{words}</span> },
            { url: webhook.url },
          )}
        </Text>
      ) : health?.state === 'failing' ? (
        <Text role="status" c="dimmed">
          {t('Delivery failed. Fairlead will retry automatically.')}
        </Text>
      ) : (
        <Waiting>{t('No deliveries yet. Send a test event to check the connection.')}</Waiting>
      )}
      <Group gap="sm">
        <Button variant="default" size="xs" loading={sending.isPending} onClick={() => sending.mutate()}>
          {t('Send test')}
        </Button>
        <TextLink
          to="/w/$workspace/webhooks/$id"
          params={{ workspace: workspace.slug, id: webhook.id }}
          size="sm"
        >
          {t('View deliveries')}
        </TextLink>
      </Group>
    </Stack>
  );
}
