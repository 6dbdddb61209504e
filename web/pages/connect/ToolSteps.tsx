/** The steps to connect one tool: a key, what to do there, the first call seen arriving, events. */
import { Button, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { integrationsQuery } from '../../api/integrations.ts';
import type { AnsweredKey, AnsweredWebhook } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { ExportButton } from '../../ui/ExportButton.tsx';
import { Accordion } from '../../ui/Accordion.tsx';
import { OnceOpened, SecretDialog } from '../../ui/lazy-dialogs.tsx';
import { TextLink } from '../../ui/links.tsx';
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
        {copy && <CodeBlock text={copy} label={label ?? 'Copy'} wrap />}
      </div>
    ))}
  </Stack>
);

/** The file with the way to import it, in the words of the API. */
function ToolFile({ id }: { id: string }) {
  const { workspace } = useWorkspace();
  const { data } = useQuery(integrationsQuery(workspace.id));
  const file = data?.find((one) => one.id === id);
  if (!file) return null;
  return (
    <Stack gap="sm" align="flex-start">
      <Text>{file.description}</Text>
      <ExportButton path={`/integrations/${id}`} fileName={file.file_name} label={`Download ${file.name}`} />
      <List type="ordered" size="sm" spacing={4}>
        {file.steps.map((step) => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
    </Stack>
  );
}

interface Shown {
  secret: string;
  title: string;
}

export function ToolSteps({ tool }: { tool: Tool }) {
  const { workspace } = useWorkspace();
  const origin = window.location.origin;
  const [key, setKey] = useState<AnsweredKey | null>(null);
  const [webhook, setWebhook] = useState<AnsweredWebhook | null>(null);
  const [shown, setShown] = useState<Shown | null>(null);
  const called = useCalledKey(workspace.id, key?.id);
  const { hook, file, platform } = tool;

  const steps: Step[] = [
    {
      title: `Make a key for ${tool.name}`,
      state: key ? 'done' : 'current',
      body: key ? (
        <Text c="dimmed">
          {key.name}.{' '}
          <TextLink
            to="/w/$workspace/api-keys"
            params={{ workspace: workspace.slug }}
            search={{ id: key.id }}
          >
            Look at it
          </TextLink>
        </Text>
      ) : (
        <ToolKey
          name={tool.name}
          onDone={(made) => {
            setKey(made);
            setShown({ secret: made.secret ?? '', title: `Your key for ${tool.name}` });
          }}
        />
      ),
    },
    {
      title: file ? 'Import the file' : 'Call the API',
      state: called ? 'done' : key ? 'current' : 'waiting',
      body: file ? <ToolFile id={file} /> : <Instructions lines={tool.calls(origin)} />,
    },
    {
      title: called ? 'Your call arrived' : 'See the first call arrive',
      state: called ? 'done' : key ? 'current' : 'waiting',
      body: called ? (
        <Arrived apiKey={called} />
      ) : key ? (
        <Waiting>Let it call. The call shows up here by itself.</Waiting>
      ) : undefined,
    },
  ];
  if (hook)
    steps.push({
      title: `Send events to ${tool.name}`,
      state: webhook ? 'done' : key ? 'current' : 'waiting',
      body: (
        <Stack gap="sm">
          <Text>{hook.where}</Text>
          {webhook ? (
            <>
              {hook.keepsSecret !== null && (
                <Text>
                  {webhook.secret === null
                    ? 'This webhook was there already; its secret was shown when it was made, and can be rotated.'
                    : hook.keepsSecret}
                </Text>
              )}
              <HookCheck webhook={webhook} />
              <div>
                <Button variant="default" size="xs" onClick={() => setWebhook(null)}>
                  Make another webhook
                </Button>
              </div>
            </>
          ) : (
            <ToolHook
              tool={tool}
              onDone={(made) => {
                setWebhook(made);
                if (hook.keepsSecret !== null && made.secret !== null)
                  setShown({ secret: made.secret, title: 'The signing secret of the webhook' });
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
        <Accordion title={platform.title} note="its calls">
          <Stack gap="xs" maw={720}>
            {platform.calls(origin).map(([name, call]) => (
              <div key={name}>
                <Text size="sm" mb={4}>
                  {name}
                </Text>
                <CodeBlock text={call} label={`Copy the call ${name}`} wrap />
              </div>
            ))}
          </Stack>
        </Accordion>
      )}
      <OnceOpened opened={shown !== null}>
        <SecretDialog
          secret={shown?.secret ?? null}
          title={shown?.title ?? ''}
          onDone={() => setShown(null)}
        />
      </OnceOpened>
    </Stack>
  );
}
