import { Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconSparkles } from '@tabler/icons-react';
import { modelsQuery } from '../../api/models.ts';
import type { Model } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { EmptyList, FailedList, LoadingList } from '../../ui/ListStates.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import ui from '../../ui/ui.module.css';
import { Chat } from './Chat.tsx';
import classes from './models.module.css';

const route = getRouteApi('/w/$workspace/models');

const factsOf = ({ owned_by, context_length, capabilities }: Model): string =>
  [owned_by, context_length && `${context_length.toLocaleString('en')} tokens`, ...capabilities]
    .filter(Boolean)
    .join(' · ');

export function Models() {
  const { workspace } = useWorkspace();
  const invoke = useCan('models:invoke');
  const { model: wanted } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, isPending, refetch } = useQuery(modelsQuery(workspace.id));
  const chosen = data?.find(({ id }) => id === wanted) ?? data?.[0];
  return (
    <>
      <PageHeader
        title="Models"
        description="What your keys can call with models:invoke, in OpenAI’s shapes: point any OpenAI client at this server."
      />
      {isPending && <LoadingList label="Loading models" />}
      {error && !data && <FailedList error={error} retry={() => void refetch()} />}
      {data && !chosen && (
        <EmptyList icon={IconSparkles} title="No models" call={{ method: 'GET', path: '/models' }}>
          Models come from model providers.
        </EmptyList>
      )}
      {chosen && (
        <div className={classes.columns}>
          <ul className={classes.list} aria-label="Models">
            {data?.map((model) => (
              <li key={model.id}>
                <UnstyledButton
                  className={classes.model}
                  aria-pressed={model === chosen}
                  onClick={() => void navigate({ search: { model: model.id }, replace: true })}
                >
                  <span className={ui.mono}>{model.id}</span>
                  <Text size="xs" c="dimmed">
                    {factsOf(model)}
                  </Text>
                </UnstyledButton>
              </li>
            ))}
          </ul>
          {invoke ? (
            <Chat key={chosen.id} model={chosen.id} />
          ) : (
            <Text c="dimmed">Your role may see models, but not call them.</Text>
          )}
        </div>
      )}
    </>
  );
}
