/** The steps to get started, from a workspace to the first API call. */
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import type { ApiKey } from '../../api/types.ts';
import { useFreshKey } from '../../api/fresh-key.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { ButtonLink } from '../../design/links.tsx';
import { Arrived, Waiting } from './Arrival.tsx';
import { CreateKeyStep } from './CreateKeyStep.tsx';
import { FirstCall } from './FirstCall.tsx';
import { Steps } from './Steps.tsx';

interface ChecklistProps {
  keys: ApiKey[];
  /** The key of the first call, once received. */
  arrived: ApiKey | undefined;
  onDone: () => void;
}

export function Checklist({ keys, arrived, onDone }: ChecklistProps) {
  const { workspace } = useWorkspace();
  const connects = useCan('providers:write');
  const fresh = useFreshKey(workspace.id);
  const [another, setAnother] = useState(false);
  const active = keys.filter(({ state }) => state === 'active');
  const creating = active.length === 0 || another;
  const params = { workspace: workspace.slug };
  return (
    <Steps
      steps={[
        {
          title: t('Create a workspace'),
          state: 'done',
          body: <Text c="dimmed">{workspace.name}</Text>,
        },
        {
          title: t('Create an API key'),
          state: creating ? 'current' : 'done',
          body: creating ? (
            <CreateKeyStep onDone={() => setAnother(false)} />
          ) : (
            <Text c="dimmed">{fresh?.name ?? active[0]?.name}</Text>
          ),
        },
        {
          title: t('Make an API call'),
          state: creating ? 'waiting' : arrived ? 'done' : 'current',
          body: !creating && <FirstCall secret={fresh?.secret} onAnother={() => setAnother(true)} />,
        },
        {
          title: arrived ? t('Call received') : t('Watch your call arrive'),
          state: creating ? 'waiting' : arrived ? 'done' : 'current',
          body: arrived ? (
            <>
              <Arrived apiKey={arrived} />
              <Group gap="xs" mt="md">
                <Button onClick={onDone}>{t('Go to overview')}</Button>
                <ButtonLink variant="default" to="/w/$workspace/chats" params={params} search={{ new: true }}>
                  {t('Send a message')}
                </ButtonLink>
                <ButtonLink
                  variant="default"
                  to="/w/$workspace/links"
                  params={params}
                  search={{ create: true }}
                >
                  {t('Create a short link')}
                </ButtonLink>
                {connects && (
                  <ButtonLink
                    variant="default"
                    to="/w/$workspace/model-providers"
                    params={params}
                    search={{ create: true }}
                  >
                    {t('Connect a model provider')}
                  </ButtonLink>
                )}
              </Group>
            </>
          ) : (
            !creating && <Waiting>{t('Waiting for your call. This page updates automatically.')}</Waiting>
          ),
        },
      ]}
    />
  );
}
