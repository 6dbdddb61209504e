/** The result of a test: whether models can be listed and called, and why not. */
import { Alert, CloseButton, Group, Loader, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { ModelProviderTest } from '../../api/types.ts';
import { plural, t } from '../../copy/text.ts';
import ui from '../../design/ui.module.css';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import instances from '../instances/instances.module.css';
import { formatDuration } from '../../design/duration-text.ts';
import { AllowLine } from './AllowLine.tsx';
import classes from './model-providers.module.css';

interface TestResultProps {
  test: { isPending: boolean; data: ModelProviderTest | undefined; error: unknown; reset: () => void };
}

export function TestResult({ test }: TestResultProps) {
  const { isPending, data, error, reset } = test;
  if (isPending)
    return (
      <Group gap="xs" mb="md" role="status">
        <Loader size="xs" />
        <Text c="dimmed">{t('Listing the models and calling one…')}</Text>
      </Group>
    );
  if (error)
    return (
      <div className={classes.result}>
        <ProblemAlert error={error} />
      </div>
    );
  if (!data) return null;
  const { ok, list, call } = data;
  return (
    <Alert
      color={ok ? 'sea' : 'red'}
      variant="light"
      className={`${classes.result} ${ok ? instances.good : ui.problem}`}
      role={ok ? 'status' : 'alert'}
      icon={ok ? <IconCheck size={16} /> : <IconAlertTriangle size={16} />}
      title={ok ? t('Test successful') : t('Test failed')}
    >
      <CloseButton className={classes.dismiss} size="sm" aria-label={t('Dismiss')} onClick={reset} />
      <Text>
        {list.error?.detail ??
          t('{models} listed in {duration}.', {
            models: plural(list.models_count ?? 0, { one: '{count} model', other: '{count} models' }),
            duration: formatDuration(list.latency_ms ?? 0),
          })}
      </Text>
      <AllowLine text={list.error?.detail} />
      <Text>
        {call === null
          ? t('There is no model to call.')
          : (call.error?.detail ??
            t('{model} responded in {duration}.', {
              model: call.model,
              duration: formatDuration(call.latency_ms ?? 0),
            }))}
      </Text>
    </Alert>
  );
}
