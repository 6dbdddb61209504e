/** The details of one run: its event, actions, and outcome, and a button to run it again. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { send } from '../../api/call.ts';
import { t } from '../../copy/text.ts';
import { refreshRules, replayRun, ruleQuery, runQuery } from '../../api/rules.ts';
import type { RuleRun } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { TextLink } from '../../design/links.tsx';
import { notifyDone } from '../../design/notify.ts';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { StateDot } from '../../design/StateDot.tsx';
import ui from '../../design/ui.module.css';
import { ACTION_LABELS, STEP_LABELS, getStop } from './rule-text.ts';
import classes from './rules.module.css';

interface RunSheetProps {
  run: RuleRun;
  /** Opens another run. */
  onOpen: (id: string) => void;
  /** Whether the log covers all rules; then the sheet names the rule. */
  allRules: boolean;
}

export function RunSheet({ run, onOpen, allRules }: RunSheetProps) {
  const { workspace } = useWorkspace();
  const write = useCan('rules:write');
  const client = useQueryClient();
  const { data: current = run } = useQuery(runQuery(workspace.id, run.id));
  const rule = useQuery({ ...ruleQuery(workspace.id, run.rule_id), retry: false }).data?.object;
  const call = replayRun(run.id);
  const replay = useMutation({
    mutationFn: () => send(workspace.id, call),
    onSuccess: () => {
      notifyDone(t('Run queued'));
      void refreshRules(client, workspace.id);
    },
  });
  return (
    <Stack>
      {write && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconHistory size={14} />}
            loading={replay.isPending}
            disabled={!rule?.enabled}
            onClick={() => replay.mutate()}
          >
            {t('Run again')}
          </Button>
          <Text size="xs" c="dimmed">
            {!rule
              ? t('This rule was deleted.')
              : rule.enabled
                ? t('Uses the same event and the current version of the rule.')
                : t('Enable the rule to run it again.')}
          </Text>
        </Group>
      )}
      {replay.error && <ProblemAlert error={replay.error} />}
      <Outcome run={current} />
      <DescriptionList
        rows={[
          allRules
            ? [
                t('Rule'),
                rule ? (
                  <TextLink to="/w/$workspace/rules/$id" params={{ workspace: workspace.slug, id: rule.id }}>
                    {rule.name}
                  </TextLink>
                ) : (
                  <Id id={current.rule_id} short />
                ),
              ]
            : null,
          [
            t('Event'),
            <span>
              <span className={ui.mono}>{current.event_type}</span>{' '}
              <TextLink
                to="/w/$workspace/events"
                params={{ workspace: workspace.slug }}
                search={{ type: current.event_type, id: current.event_id }}
              >
                {t('View event')}
              </TextLink>
            </span>,
          ],
          [t('Run'), <Id id={current.id} />],
          [t('Started'), <RelativeTime at={current.created_at} />],
          current.finished_at !== null ? [t('Completed'), <RelativeTime at={current.finished_at} />] : null,
          current.chain.length > 0 ? [t('Triggered by'), <Chain ids={current.chain} />] : null,
          current.replay_of !== null
            ? [
                t('Replay of'),
                <Button
                  size="compact-xs"
                  variant="default"
                  className={ui.mono}
                  onClick={() => onOpen(current.replay_of ?? '')}
                >{`run_…${current.replay_of.slice(-6)}`}</Button>,
              ]
            : null,
        ]}
      />
      {current.steps.length > 0 && <Steps run={current} />}
      <AsCurl call={[{ method: 'GET', path: `/rule-runs/${run.id}` }, call]} />
    </Stack>
  );
}

function Outcome({ run: { status, error, steps } }: { run: RuleRun }) {
  const stop = getStop(error?.code);
  if (status === 'stopped' && stop) return <Text>{stop.description}</Text>;
  if (status === 'canceled') return <Text>{t('The rule was disabled or deleted during this run.')}</Text>;
  // The failed action says it below.
  const isShown = steps.some((step) => step.error?.detail === error?.detail);
  return error && !isShown ? <Text className={classes.fault}>{error.detail}</Text> : null;
}

/** The rules that caused the event, first cause first. */
function Chain({ ids }: { ids: readonly string[] }) {
  return (
    <Stack gap={2}>
      {ids.map((id) => (
        <ChainLink key={id} id={id} />
      ))}
    </Stack>
  );
}

function ChainLink({ id }: { id: string }) {
  const { workspace } = useWorkspace();
  const { data } = useQuery({ ...ruleQuery(workspace.id, id), retry: false });
  return (
    <TextLink to="/w/$workspace/rules/$id" params={{ workspace: workspace.slug, id }}>
      {data?.object.name ?? `rul_…${id.slice(-6)}`}
    </TextLink>
  );
}

function Steps({ run }: { run: RuleRun }) {
  return (
    <div>
      <Title order={3} mb={8}>
        {t('Actions')}
      </Title>
      <ol className={classes.steps} aria-label={t('Actions')}>
        {run.steps.map(({ name, type, status, tries, input, output, error }) => {
          const [tone, label] = STEP_LABELS[status];
          return (
            <li key={name}>
              <div className={classes.stepHead}>
                <strong>
                  {ACTION_LABELS[type]}{' '}
                  <Text span size="xs" c="dimmed" className={ui.mono}>
                    {name}
                  </Text>
                </strong>
                <StateDot tone={tone}>
                  {tries > 1 ? t('{status} after {tries} attempts', { status: label, tries }) : label}
                </StateDot>
              </div>
              {error && <Text className={classes.fault}>{error.detail}</Text>}
              {input && <JsonView value={input} maxHeight={180} />}
              {output && (
                <>
                  <Text size="xs" c="dimmed">
                    {t('Output')}
                  </Text>
                  <JsonView value={output} maxHeight={140} />
                </>
              )}
            </li>
          );
        })}
      </ol>
    </div>
  );
}
