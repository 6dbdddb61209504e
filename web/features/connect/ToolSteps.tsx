/** The steps to connect one tool: create a key, call the API, see the first request, send events. */
import { Button, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import { integrationsQuery } from '../../api/integrations.ts';
import type { AnsweredKey, AnsweredWebhook } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { CodeBlock } from '../../design/CodeBlock.tsx';
import { ExportButton } from '../../patterns/ExportButton.tsx';
import { Accordion } from '../../design/Accordion.tsx';
import { SecretDialog } from '../../patterns/lazy-dialogs.tsx';
import { TextLink } from '../../design/links.tsx';
import { Arrived, Waiting } from '../overview/Arrival.tsx';
import { type Step, Steps } from '../overview/Steps.tsx';
import { useCalledKey } from '../your-site/use-called-key.ts';
import { HookCheck, ToolHook } from './ToolHook.tsx';
import { ToolKey } from './ToolKey.tsx';
import type { Instruction, Tool } from './tools.ts';

const Instructions = ({ lines }: { lines: readonly Instruction[] }) => (
  <Stack gap="xs">
    {lines.map(({ text, copy, label }) => (
      <div key={text}>
        <Text mb={copy ? 4 : 0}>{text}</Text>
        {copy && <CodeBlock text={copy} label={label ?? t('Copy')} />}
      </div>
    ))}
  </Stack>
);

/** The file to import into the tool, with the API's instructions. */
function ToolFile({ id }: { id: string }) {
  const { workspace } = useWorkspace();
  const { data } = useQuery(integrationsQuery(workspace.id));
  const file = data?.find((one) => one.id === id);
  if (!file) return null;
  return (
    <Stack gap="sm" align="flex-start">
      <Text>{file.description}</Text>
      <ExportButton
        path={`/integrations/${id}`}
        fileName={file.file_name}
        label={t('Download {name}', { name: file.name })}
      />
      <List type="ordered" size="sm" spacing={4}>
        {file.steps.map((step) => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
    </Stack>
  );
}

interface ShownSecret {
  secret: string;
  title: string;
}

export function ToolSteps({ tool }: { tool: Tool }) {
  const { workspace } = useWorkspace();
  const origin = window.location.origin;
  const [key, setKey] = useState<AnsweredKey | null>(null);
  const [webhook, setWebhook] = useState<AnsweredWebhook | null>(null);
  const [shownSecret, setShownSecret] = useState<ShownSecret | null>(null);
  const called = useCalledKey(workspace.id, key?.id);
  const { hook, file, platform } = tool;

  const steps: Step[] = [
    {
      title: t('Create an API key for {name}', { name: tool.name }),
      state: key ? 'done' : 'current',
      body: key ? (
        <Text c="dimmed">
          {key.name}.{' '}
          <TextLink
            to="/w/$workspace/api-keys"
            params={{ workspace: workspace.slug }}
            search={{ id: key.id }}
          >
            {t('View key')}
          </TextLink>
        </Text>
      ) : (
        <ToolKey
          name={tool.name}
          onDone={(created) => {
            setKey(created);
            setShownSecret({
              secret: created.secret ?? '',
              title: t('API key for {name}', { name: tool.name }),
            });
          }}
        />
      ),
    },
    {
      title: file ? t('Import the file') : t('Call the API'),
      state: called ? 'done' : key ? 'current' : 'waiting',
      body: file ? <ToolFile id={file} /> : <Instructions lines={tool.calls(origin)} />,
    },
    {
      title: called ? t('First request received') : t('Wait for the first request'),
      state: called ? 'done' : key ? 'current' : 'waiting',
      body: called ? (
        <Arrived apiKey={called} />
      ) : key ? (
        <Waiting>{t('Call the API from your tool. The request appears here automatically.')}</Waiting>
      ) : undefined,
    },
  ];
  if (hook)
    steps.push({
      title: t('Send events to {name}', { name: tool.name }),
      state: webhook ? 'done' : key ? 'current' : 'waiting',
      body: (
        <Stack gap="sm">
          <Text>{hook.where}</Text>
          {webhook ? (
            <>
              {hook.keepsSecret !== null && (
                <Text>
                  {webhook.secret === null
                    ? t(
                        'This webhook already existed. Its secret was shown when it was created; rotate it to get a new one.',
                      )
                    : hook.keepsSecret}
                </Text>
              )}
              <HookCheck webhook={webhook} />
              <div>
                <Button variant="default" size="xs" onClick={() => setWebhook(null)}>
                  {t('Create another webhook')}
                </Button>
              </div>
            </>
          ) : (
            <ToolHook
              tool={tool}
              onDone={(created) => {
                setWebhook(created);
                if (hook.keepsSecret !== null && created.secret !== null)
                  setShownSecret({ secret: created.secret, title: t('Webhook signing secret') });
              }}
            />
          )}
        </Stack>
      ),
    });

  return (
    <Stack gap="lg">
      <Steps steps={steps} />
      {platform && (
        <Accordion title={platform.title} note={t('API calls')}>
          <Stack gap="xs" maw={720}>
            {platform.calls(origin).map(([name, call]) => (
              <div key={name}>
                <Text size="sm" mb={4}>
                  {name}
                </Text>
                <CodeBlock text={call} label={t('Copy {name} call', { name })} />
              </div>
            ))}
          </Stack>
        </Accordion>
      )}
      <SecretDialog
        secret={shownSecret?.secret ?? null}
        title={shownSecret?.title ?? ''}
        onDone={() => setShownSecret(null)}
      />
    </Stack>
  );
}
