/** One run: what started it, what each action did with what, why it ended as it did, and doing it again. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { refreshRules, replayRun, ruleQuery, runQuery } from '../../api/rules.ts';
import type { RuleRun } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Id } from '../../ui/Id.tsx';
import { JsonView } from '../../ui/JsonView.tsx';
import { TextLink } from '../../ui/links.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import ui from '../../ui/ui.module.css';
import { ACTION_WORDS, STEP_WORDS, stopOf } from './rule-text.ts';
import classes from './rules.module.css';

interface RunSheetProps {
  run: RuleRun;
  /** Shows another one. */
  onOpen: (id: string) => void;
  /** Whether the log is of all rules: then it says which. */
  ofAll: boolean;
}

export function RunSheet({ run, onOpen, ofAll }: RunSheetProps) {
  const { workspace } = useWorkspace();
  const write = useCan('rules:write');
  const client = useQueryClient();
  const { data: now = run } = useQuery(runQuery(workspace.id, run.id));
  const rule = useQuery({ ...ruleQuery(workspace.id, run.rule_id), retry: false }).data?.object;
  const replay = useMutation({
    mutationFn: () => replayRun(workspace.id, run.id),
    onSuccess: () => {
      notifyDone('It runs once more');
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
            Run again
          </Button>
          <Text size="xs" c="dimmed">
            {!rule
              ? 'The rule is gone.'
              : rule.enabled
                ? 'With this event, by the rule as it is now.'
                : 'Enable the rule to run it again.'}
          </Text>
        </Group>
      )}
      {replay.error && <ProblemAlert error={replay.error} />}
      <Why run={now} />
      <DescriptionList
        rows={[
          ofAll
            ? [
                'Rule',
                rule ? (
                  <TextLink to="/w/$workspace/rules/$id" params={{ workspace: workspace.slug, id: rule.id }}>
                    {rule.name}
                  </TextLink>
                ) : (
                  <Id id={now.rule_id} short />
                ),
              ]
            : null,
          [
            'Event',
            <span>
              <span className={ui.mono}>{now.event_type}</span>{' '}
              <TextLink
                to="/w/$workspace/events"
                params={{ workspace: workspace.slug }}
                search={{ type: now.event_type, id: now.event_id }}
              >
                show
              </TextLink>
            </span>,
          ],
          ['Run', <Id id={now.id} />],
          ['Began', <RelativeTime at={now.created_at} />],
          now.finished_at !== null ? ['Ended', <RelativeTime at={now.finished_at} />] : null,
          now.chain.length > 0 ? ['Led to it', <Chain ids={now.chain} />] : null,
          now.replay_of !== null
            ? [
                'Repeats',
                <Button
                  size="compact-xs"
                  variant="default"
                  className={ui.mono}
                  onClick={() => onOpen(now.replay_of ?? '')}
                >{`run_…${now.replay_of.slice(-6)}`}</Button>,
              ]
            : null,
        ]}
      />
      {now.steps.length > 0 && <Steps run={now} />}
      <AsCurl
        call={[
          { method: 'GET', path: `/rule-runs/${run.id}` },
          { method: 'POST', path: `/rule-runs/${run.id}/replay` },
        ]}
      />
    </Stack>
  );
}

function Why({ run: { status, error } }: { run: RuleRun }) {
  const stop = stopOf(error?.code);
  if (status === 'stopped' && stop) return <Text>{stop.long}</Text>;
  if (status === 'canceled') return <Text>The rule was disabled or deleted while it ran.</Text>;
  return error ? <Text className={classes.fault}>{error.detail}</Text> : null;
}

/** The rules that led to the event, first cause first. */
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
        Actions
      </Title>
      <ol className={classes.steps} aria-label="Actions">
        {run.steps.map(({ name, type, status, tries, input, output, error }) => {
          const [tone, word] = STEP_WORDS[status];
          return (
            <li key={name}>
              <div className={classes.stepHead}>
                <strong>
                  {ACTION_WORDS[type]}{' '}
                  <Text span size="xs" c="dimmed" className={ui.mono}>
                    {name}
                  </Text>
                </strong>
                <StateDot tone={tone}>
                  {word}
                  {tries > 1 && ` at try ${tries}`}
                </StateDot>
              </div>
              {error && <Text className={classes.fault}>{error.detail}</Text>}
              {input && <JsonView value={input} maxHeight={180} />}
              {output && (
                <>
                  <Text size="xs" c="dimmed">
                    gave
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
