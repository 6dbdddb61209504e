/** A conversation with one model in the playground. Model output is always shown as text. */
import { ActionIcon, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { IconX } from '@tabler/icons-react';
import { Suspense, useEffect, useRef } from 'react';
import atoms from '../../design/atoms.module.css';
import { modelRoutesQuery } from '../../api/model-routes.ts';
import { modelsQuery } from '../../api/models.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { formatNumber, t } from '../../copy/text.ts';
import { lazily } from '../../patterns/lazily.ts';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { formatUsd } from '../budgets/budget-text.ts';
import { formatDuration } from '../../design/duration-text.ts';
import classes from './models.module.css';
import { getCost } from './playground-request.ts';
import type { ChatState, Measured, ShownTurn } from './use-chat.ts';

const ModelSelect = lazily(() => import('./ModelSelect.tsx'), 'ModelSelect');

interface PaneProps {
  label: string;
  model: string;
  onModel: (model: string) => void;
  chat: ChatState;
  /** Closes the second of two panes. */
  onClose?: () => void;
}

export function Pane({ label, model, onModel, chat, onClose }: PaneProps) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (chat.turns.length > 0) end.current?.scrollIntoView({ block: 'nearest' });
  }, [chat.turns]);
  return (
    <section className={atoms.pane} aria-label={t('Chat with {model}', { model })}>
      <div className={atoms.rowTight}>
        <Suspense fallback={<TextInput size="xs" flex={1} aria-label={label} value={model} readOnly />}>
          <ModelSelect size="xs" flex={1} aria-label={label} value={model} onChange={onModel} />
        </Suspense>
        {onClose && (
          <ActionIcon variant="subtle" color="gray" aria-label={t('Close comparison')} onClick={onClose}>
            <IconX size={15} />
          </ActionIcon>
        )}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by keys */}
      <div className={classes.messages} role="log" aria-label={t('Conversation')} tabIndex={0}>
        {chat.turns.length === 0 && chat.error === null && (
          <Text c="dimmed" ta="center" m="auto">
            {t('Send a message to try this model. The response streams in.')}
          </Text>
        )}
        {chat.turns.map((turn, index) => (
          <ShownMessage
            key={turn.id}
            turn={turn}
            model={model}
            running={chat.running && index === chat.turns.length - 1}
          />
        ))}
        {chat.error !== null && <ProblemAlert error={chat.error} />}
        <div ref={end} />
      </div>
    </section>
  );
}

function ShownMessage({ turn, model, running }: { turn: ShownTurn; model: string; running: boolean }) {
  const { role, text, images, toolCalls, measured } = turn;
  return (
    <>
      <div className={classes.message} data-role={role}>
        {images.map((url) => (
          <img key={url} src={url} alt={t('Attached')} className={classes.image} />
        ))}
        {text}
        {toolCalls.map(({ id, name, arguments: args }) => (
          <pre key={id} className={classes.call}>{`${name}(${args})`}</pre>
        ))}
        {running && <span className={classes.caret} aria-hidden />}
      </div>
      {measured && <Measures measured={measured} model={model} />}
    </>
  );
}

/** Tokens, cost and times of a response. */
function Measures({ measured, model }: { measured: Measured; model: string }) {
  const { workspace } = useWorkspace();
  const { data: models } = useQuery(modelsQuery(workspace.id));
  const { usage, firstByteMs, totalMs, model: answered } = measured;
  const failed = useFailedAttempts(model, answered);
  const price = models?.find(({ id }) => id === (answered ?? model))?.pricing;
  const cost = getCost(usage, price);
  const parts = [
    answered !== null && answered !== model && answered,
    failed.length > 0 && t('after {models} failed', { models: failed.join(', ') }),
    usage &&
      t('{input} in, {output} out', {
        input: formatNumber(usage.prompt_tokens ?? 0),
        output: formatNumber(usage.completion_tokens ?? 0),
      }),
    cost !== null && formatUsd(cost),
    firstByteMs !== null && t('first byte {time}', { time: formatDuration(Math.round(firstByteMs)) }),
    t('total {time}', { time: formatDuration(Math.round(totalMs)) }),
  ];
  return <div className={classes.measures}>{parts.filter(Boolean).join(' · ')}</div>;
}

const ROUTE = 'route/';

/** Returns the models of a route that failed before the one that answered. */
function useFailedAttempts(model: string, answered: string | null): string[] {
  const { workspace } = useWorkspace();
  const name = model.startsWith(ROUTE) ? model.slice(ROUTE.length) : '';
  const { data: routes } = useInfiniteQuery({
    ...modelRoutesQuery(workspace.id, name),
    enabled: useCan('models:read') && name !== '' && answered !== null,
  });
  const attempts = routes?.find((route) => route.name === name)?.attempts ?? [];
  const at = attempts.findIndex((attempt) => attempt.model === answered);
  return attempts.slice(0, Math.max(0, at)).map((attempt) => attempt.model);
}
