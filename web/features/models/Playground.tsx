/** Tests models: a conversation with one or two of them side by side, with its cost and the code for it. */
import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconAdjustmentsHorizontal, IconColumns2, IconSparkles } from '@tabler/icons-react';
import { useState } from 'react';
import atoms from '../../design/atoms.module.css';
import { modelsQuery } from '../../api/models.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { PageHeader } from '../../design/PageHeader.tsx';
import { EmptyList, FailedList, LoadingList } from '../../patterns/ListStates.tsx';
import { Composer } from './Composer.tsx';
import classes from './models.module.css';
import { Pane } from './Pane.tsx';
import { NO_SETTINGS, readTools, shortened, toRequest, type Turn } from './playground-request.ts';
import { PlaygroundSettings } from './PlaygroundSettings.tsx';
import { RequestCode } from './RequestCode.tsx';
import { useChat } from './use-chat.ts';

const route = getRouteApi('/w/$workspace/models');

/** Windows narrower than this begin without the settings. */
const WIDE_PX = 992;

const userTurn = (text: string, images: readonly string[]): Turn => ({
  role: 'user',
  text,
  images,
  toolCalls: [],
});

export function Playground() {
  const { workspace } = useWorkspace();
  const invoke = useCan('models:invoke');
  const { data, error, isPending, refetch } = useQuery(modelsQuery(workspace.id));
  if (!invoke || !data?.length)
    return (
      <>
        <PageHeader title={t('Playground')} />
        {isPending && <LoadingList label={t('Loading models')} />}
        {error && !data && <FailedList error={error} retry={() => void refetch()} />}
        {data?.length === 0 && (
          <EmptyList icon={IconSparkles} title={t('No models')} call={{ method: 'GET', path: '/models' }}>
            {t('Models of your model providers appear here.')}
          </EmptyList>
        )}
        {!invoke && <Text c="dimmed">{t('Your role can view models but not call them.')}</Text>}
      </>
    );
  return <Loaded ids={data.map(({ id }) => id)} />;
}

/** @param ids of the models; the first is tried if the address names none */
function Loaded({ ids }: { ids: readonly string[] }) {
  const { workspace } = useWorkspace();
  const { model = ids[0] ?? '', with: other } = route.useSearch();
  const navigate = route.useNavigate();
  const go = (change: { model?: string; with?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const [settings, setSettings] = useState(NO_SETTINGS);
  const [hasSettings, setHasSettings] = useState(() => window.innerWidth >= WIDE_PX);
  const [draft, setDraft] = useState('');
  const main = useChat(workspace.id);
  const compared = useChat(workspace.id);
  const panes = [{ model, chat: main }, ...(other === undefined ? [] : [{ model: other, chat: compared }])];
  const running = panes.some(({ chat }) => chat.running);
  const isBlank = panes.every(({ chat }) => chat.turns.length === 0 && chat.error === null);
  const clear = () => {
    main.clear();
    compared.clear();
  };
  const toggleComparison = () => {
    compared.clear();
    go({ with: other === undefined ? (ids.find((id) => id !== model) ?? model) : undefined });
  };
  const send = (text: string, images: readonly string[]) => {
    for (const pane of panes)
      pane.chat.send(userTurn(text, images), (turns) => ({
        model: pane.model,
        ...toRequest(settings, turns),
      }));
  };
  const sent = main.turns.length > 0 ? main.turns : [userTurn(draft || 'Hello!', [])];
  return (
    <>
      <PageHeader
        title={t('Playground')}
        description={t(
          "Try models, compare them, and copy the code. Calls are attributed to you, so budgets of API keys don't apply.",
        )}
      >
        <Button
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={16} />}
          aria-expanded={hasSettings}
          onClick={() => setHasSettings(!hasSettings)}
        >
          {t('Settings')}
        </Button>
        <Button
          variant="default"
          leftSection={<IconColumns2 size={16} />}
          aria-pressed={other !== undefined}
          onClick={toggleComparison}
        >
          {t('Compare')}
        </Button>
        <Button variant="default" onClick={clear} disabled={isBlank}>
          {t('Clear')}
        </Button>
      </PageHeader>
      <div className={classes.columns} data-settings={hasSettings || undefined}>
        {hasSettings && <PlaygroundSettings settings={settings} onChange={setSettings} />}
        <div className={atoms.pane}>
          <div className={classes.panes} data-two={other !== undefined || undefined}>
            <Pane label={t('Model')} model={model} onModel={(id) => go({ model: id })} chat={main} />
            {other !== undefined && (
              <Pane
                label={t('Second model')}
                model={other}
                onModel={(id) => go({ with: id })}
                chat={compared}
                onClose={toggleComparison}
              />
            )}
          </div>
          <Composer
            running={running}
            waitsForTools={panes.some(({ chat }) => (chat.turns.at(-1)?.toolCalls.length ?? 0) > 0)}
            disabled={'error' in readTools(settings.tools)}
            draft={draft}
            onDraft={setDraft}
            onSend={send}
            onStop={() => {
              for (const { chat } of panes) chat.stop();
            }}
          />
          <RequestCode body={{ model, ...shortened(toRequest(settings, sent)) }} />
        </div>
      </div>
    </>
  );
}
