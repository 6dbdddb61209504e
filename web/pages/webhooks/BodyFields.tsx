/** What a receiver is sent: its kind, templates of one's own by type of event, and how they come out. */
import { Alert, Button, Group, NativeSelect, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { webhookKindQuery, webhookKindsQuery, webhookPreviewQuery } from '../../api/webhook-kinds.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { Accordion } from '../../ui/Accordion.tsx';
import type { Form } from '../../ui/use-form.ts';
import type { WebhookForm } from './webhook-form.ts';

const TYPING_MS = 400;
const PLAIN = '{{ event | json }}\n';

interface BodyFieldsProps {
  form: Form<WebhookForm>;
  /** Types of events that there are. */
  types: readonly { id: string }[];
}

/** The body as a person reads it. */
const pretty = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body; // a sample is JSON always; whatever else comes is shown as it is
  }
};

export function BodyFields({ form, types }: BodyFieldsProps) {
  const { workspace } = useWorkspace();
  const { values, set, error } = form;
  const { data: kinds = [] } = useQuery(webhookKindsQuery(workspace.id));
  const chosen = kinds.find(({ id }) => id === values.kind);
  const own = Object.keys(values.templates).length;
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Receiver"
        description={chosen?.description ?? 'What it is sent.'}
        value={values.kind}
        error={error('kind')}
        onChange={({ currentTarget }) => set('kind', currentTarget.value as WebhookForm['kind'])}
        data={kinds.length ? kinds.map(({ id, name }) => ({ value: id, label: name })) : [values.kind]}
      />
      <Accordion
        title="Body"
        note={
          own ? `${own} ${own === 1 ? 'template' : 'templates'} of yours` : 'see it, or change it with Liquid'
        }
        opened={own > 0}
        faulty={error('templates') !== undefined}
      >
        <TemplateEditor form={form} types={types} />
      </Accordion>
    </Stack>
  );
}

function TemplateEditor({ form, types }: BodyFieldsProps) {
  const { workspace } = useWorkspace();
  const { values, set, at } = form;
  const { data: kind } = useQuery(webhookKindQuery(workspace.id, values.kind));
  const [type, setType] = useState(Object.keys(values.templates)[0] ?? 'message.received');
  const own = values.templates[type];
  const shownType = types.some(({ id }) => id === type) ? type : (types[0]?.id ?? 'ping');
  const write = (source: string) => set('templates', { ...values.templates, [type]: source });
  const drop = () =>
    set('templates', Object.fromEntries(Object.entries(values.templates).filter(([name]) => name !== type)));
  const patterns = [...new Set([...Object.keys(values.templates), ...types.map(({ id }) => id), '*'])];
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Event"
        value={type}
        onChange={({ currentTarget }) => setType(currentTarget.value)}
        data={patterns.map((name) => ({
          value: name,
          label: `${name === '*' ? 'all others' : name}${name in values.templates ? ' · yours' : ''}`,
        }))}
      />
      {own === undefined ? (
        <Group>
          <Button variant="default" size="xs" onClick={() => write(kind?.templates[shownType] ?? PLAIN)}>
            Change this body
          </Button>
        </Group>
      ) : (
        <>
          <Textarea
            label="Template"
            description="Liquid that makes JSON. “event” is the event, “console_url” its page here."
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
            autosize
            minRows={6}
            maxRows={18}
            maxLength={16_384}
            spellCheck={false}
            value={own}
            error={at('templates', type)}
            onChange={({ currentTarget }) => write(currentTarget.value)}
          />
          <Group>
            <Button variant="default" size="xs" onClick={drop}>
              Back to the usual body
            </Button>
          </Group>
        </>
      )}
      <Preview kind={values.kind} template={own || null} type={shownType} />
    </Stack>
  );
}

function Preview({
  kind,
  template,
  type,
}: {
  kind: WebhookForm['kind'];
  template: string | null;
  type: string;
}) {
  const { workspace } = useWorkspace();
  const [asked] = useDebouncedValue({ kind, template, event_type: type }, TYPING_MS);
  const { data, error } = useQuery(webhookPreviewQuery(workspace.id, asked));
  return (
    <div aria-live="polite">
      <Text size="sm" fw={500} mb={4}>
        What is sent, by a sample
      </Text>
      {error && <Alert color="red">{error.message}</Alert>}
      {data?.error && <Alert color="red">{data.error.detail}</Alert>}
      {typeof data?.body === 'string' && <CodeBlock text={pretty(data.body)} wrap maxHeight={280} />}
    </div>
  );
}
