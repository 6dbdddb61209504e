/** What somebody must scan, type or open on the device that has the account. It renews itself until it is done. */
import { Button, Loader, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconExternalLink } from '@tabler/icons-react';
import { pairingQuery, type PairingShown } from '../../api/instances.ts';
import { ApiProblem } from '../../api/problem.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useFromClock } from '../../ui/time.ts';
import classes from './channel.module.css';

const SAID = {
  qr: ['Scan the QR code', 'Open the app on the device that has the account, and scan this with it.'],
  code: ['Type the code', 'Open the app on the device that has the account, and type this code there.'],
  link: ['Open the link', 'Open it on the device that has the account, or scan it from there.'],
} as const;

export function Pairing({ instanceId }: { instanceId: string }) {
  const { workspace } = useWorkspace();
  const write = useCan('instances:write');
  const { data, error } = useQuery({ ...pairingQuery(workspace.id, instanceId), enabled: write });
  // Between two codes there is none for a moment.
  const waiting = error instanceof ApiProblem && error.code === 'conflict';
  if (!write)
    return (
      <Text c="dimmed" mb="md">
        The account waits to be paired by somebody who may change channels.
      </Text>
    );
  return (
    <section className={classes.pairing} aria-label="Pairing">
      {error && !waiting && !data ? (
        <ProblemAlert error={error} />
      ) : data ? (
        <Step shown={data} instanceId={instanceId} />
      ) : (
        <Next />
      )}
    </section>
  );
}

const Next = () => (
  <Text c="dimmed" className={classes.next} component="div" role="status">
    <Loader size="xs" /> The next code is on its way.
  </Text>
);

function Step({ shown, instanceId }: { shown: PairingShown; instanceId: string }) {
  const { step, svg } = shown;
  const expires = Date.parse(step.expires_at);
  const left = useFromClock((now) => Math.ceil((expires - now) / 1000));
  const [title, text] = SAID[step.kind];
  const over = left <= 0;
  return (
    <>
      {svg !== null && (
        <img
          className={classes.qr}
          data-over={over || undefined}
          src={`data:image/svg+xml;utf8,${encodeURIComponent(svg)}`}
          alt="QR code that connects the account"
        />
      )}
      <div className={classes.pairingText}>
        <Title order={2}>{title}</Title>
        <Text maw={420}>{text}</Text>
        {step.kind === 'code' && (
          <div className={classes.code} data-over={over || undefined}>
            <span>{step.data}</span>
            <CopyButton text={step.data} label="Copy the code" />
          </div>
        )}
        {step.kind === 'link' && /^https?:/i.test(step.data) && (
          <Button
            component="a"
            href={step.data}
            target="_blank"
            rel="noreferrer"
            variant="default"
            leftSection={<IconExternalLink size={16} />}
          >
            Open the link
          </Button>
        )}
        {over ? (
          <Next />
        ) : (
          <Text c="dimmed" className={classes.left}>
            Good for another {left} s; the next one comes by itself.
          </Text>
        )}
        <AsCurl call={{ method: 'GET', path: `/instances/${instanceId}/pairing` }} />
      </div>
    </>
  );
}
