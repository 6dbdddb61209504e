/** Getting started: from a workspace to a call that is seen arriving. */
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { ApiKey } from '../../api/types.ts';
import { useFreshKey } from '../../shell/fresh-key.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ButtonLink } from '../../ui/links.tsx';
import { Arrived, Waiting } from './Arrival.tsx';
import { CreateKeyStep } from './CreateKeyStep.tsx';
import { FirstCall } from './FirstCall.tsx';
import { Steps } from './Steps.tsx';

interface ChecklistProps {
  keys: ApiKey[];
  /** The key whose call came, once one has. */
  arrived: ApiKey | undefined;
  onDone: () => void;
}

export function Checklist({ keys, arrived, onDone }: ChecklistProps) {
  const { workspace } = useWorkspace();
  const fresh = useFreshKey(workspace.id);
  const [another, setAnother] = useState(false);
  const active = keys.filter(({ state }) => state === 'active');
  const making = active.length === 0 || another;
  const params = { workspace: workspace.slug };
  return (
    <Steps
      steps={[
        {
          title: 'Create a workspace',
          state: 'done',
          body: <Text c="dimmed">{workspace.name}</Text>,
        },
        {
          title: 'Create an API key',
          state: making ? 'current' : 'done',
          body: making ? (
            <CreateKeyStep onDone={() => setAnother(false)} />
          ) : (
            <Text c="dimmed">{fresh?.name ?? active[0]?.name}</Text>
          ),
        },
        {
          title: 'Make a call',
          state: making ? 'waiting' : arrived ? 'done' : 'current',
          body: !making && <FirstCall secret={fresh?.secret} onAnother={() => setAnother(true)} />,
        },
        {
          title: arrived ? 'Your call arrived' : 'See it arrive',
          state: making ? 'waiting' : arrived ? 'done' : 'current',
          body: arrived ? (
            <>
              <Arrived apiKey={arrived} />
              <Group gap="xs" mt="md">
                <Button onClick={onDone}>Go to the overview</Button>
                <ButtonLink variant="default" to="/w/$workspace/your-site" params={params}>
                  Use it from your own site
                </ButtonLink>
              </Group>
            </>
          ) : (
            !making && <Waiting>Waiting for your call. It shows up here by itself.</Waiting>
          ),
        },
      ]}
    />
  );
}
