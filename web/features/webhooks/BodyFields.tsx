/** The format of the request body: the webhook's kind and its custom templates by event type, with a preview. */
import { Alert, Button, Group, NativeSelect, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { plural, t } from '../../copy/text.ts';
import { webhookKindQuery, webhookKindsQuery, webhookPreviewQuery } from '../../api/webhook-kinds.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { CodeBlock } from '../../design/CodeBlock.tsx';
import { indentJson } from '../../api/exact-json.ts';
import { Accordion } from '../../design/Accordion.tsx';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import type { WebhookForm } from './webhook-form.ts';

const TYPING_MS = 400;
const PLAIN = '{{ event | json }}\n';

interface BodyFieldsProps {
  form: ApiForm<WebhookForm>;
  /** All event types. */
  types: readonly { id: string }[];
}

/** Formats a JSON body with indentation. */
const pretty = (body: string): string => {
  try {
    return indentJson(body);
  } catch {
    return body; // not JSON, so shown unchanged
  }
};

export function BodyFields({ form, types }: BodyFieldsProps) {
  const { workspace } = useWorkspace();
  const { values, set, error } = form;
  const { data: kinds = [] } = useQuery(webhookKindsQuery(workspace.id));
  const chosen = kinds.find(({ id }) => id === values.kind);
  const customCount = Object.keys(values.templates).length;
  return (
    <Stack gap="sm">
      <NativeSelect
        label={t('Format')}
        description={chosen?.description ?? t('The format of the request body.')}
        value={values.kind}
        error={error('kind')}
        onChange={({ currentTarget }) => set('kind', currentTarget.value as WebhookForm['kind'])}
        data={kinds.length ? kinds.map(({ id, name }) => ({ value: id, label: name })) : [values.kind]}
      />
      <Accordion
        title={t('Body')}
        note={
          customCount > 0
            ? plural(customCount, { one: '{count} custom template', other: '{count} custom templates' })
            : t('View the body or customize it with Liquid')
        }
        opened={customCount > 0}
        faulty={error('templates') !== undefined}
      >
        <TemplateEditor form={form} types={types} />
      </Accordion>
    </Stack>
  );
}

function patternLabel(pattern: string, customized: boolean): string {
  const name = pattern === '*' ? t('All other events') : pattern;
  return customized ? t('{name} (customized)', { name }) : name;
}

function TemplateEditor({ form, types }: BodyFieldsProps) {
  const { workspace } = useWorkspace();
  const { values, set, at } = form;
  const { data: kind } = useQuery(webhookKindQuery(workspace.id, values.kind));
  const [type, setType] = useState(Object.keys(values.templates)[0] ?? 'message.received');
  const source = values.templates[type];
  const shownType = types.some(({ id }) => id === type) ? type : (types[0]?.id ?? 'ping');
  const write = (template: string) => set('templates', { ...values.templates, [type]: template });
  const reset = () =>
    set('templates', Object.fromEntries(Object.entries(values.templates).filter(([name]) => name !== type)));
  const patterns = [...new Set([...Object.keys(values.templates), ...types.map(({ id }) => id), '*'])];
  return (
    <Stack gap="sm">
      <NativeSelect
        label={t('Event')}
        value={type}
        onChange={({ currentTarget }) => setType(currentTarget.value)}
        data={patterns.map((name) => ({
          value: name,
          label: patternLabel(name, name in values.templates),
        }))}
      />
      {source === undefined ? (
        <Group>
          <Button variant="default" size="xs" onClick={() => write(kind?.templates[shownType] ?? PLAIN)}>
            {t('Customize body')}
          </Button>
        </Group>
      ) : (
        <>
          <Textarea
            label={t('Template')}
            description={t(
              'A Liquid template that renders JSON. Use “event” for the event and “console_url” for its page in the console.',
            )}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
            autosize
            minRows={6}
            maxRows={18}
            maxLength={16_384}
            spellCheck={false}
            value={source}
            error={at('templates', type)}
            onChange={({ currentTarget }) => write(currentTarget.value)}
          />
          <Group>
            <Button variant="default" size="xs" onClick={reset}>
              {t('Reset to default')}
            </Button>
          </Group>
        </>
      )}
      <Preview kind={values.kind} template={source || null} type={shownType} />
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
  const [debounced] = useDebouncedValue({ kind, template, event_type: type }, TYPING_MS);
  const { data, error } = useQuery(webhookPreviewQuery(workspace.id, debounced));
  return (
    <div aria-live="polite">
      <Text size="sm" fw={500} mb={4}>
        {t('Preview with a sample event')}
      </Text>
      {error && <Alert color="red">{error.message}</Alert>}
      {data?.error && <Alert color="red">{data.error.detail}</Alert>}
      {typeof data?.body === 'string' && <CodeBlock text={pretty(data.body)} maxHeight={280} />}
    </div>
  );
}
