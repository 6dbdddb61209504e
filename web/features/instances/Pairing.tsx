/** Shows the current pairing step: a QR code, a code or a link. It is replaced when it expires. */
import { Button, Loader, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconExternalLink } from '@tabler/icons-react';
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import { pairingQuery, type PairingShown } from '../../api/instances.ts';
import { ApiProblem } from '../../api/problem.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { CopyButton } from '../../design/CopyButton.tsx';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { useFromClock } from '../../design/time.ts';
import classes from './instance.module.css';

const STEPS = {
  qr: [t('Scan the QR code'), t('Open the app on the device with this account and scan the code.')],
  code: [t('Enter the code'), t('Open the app on the device with this account and enter the code.')],
  link: [t('Open the link'), t('Open the link on the device with this account.')],
} as const;

export function Pairing({ instanceId }: { instanceId: string }) {
  const { workspace } = useWorkspace();
  const write = useCan('instances:write');
  const { data, error } = useQuery({ ...pairingQuery(workspace.id, instanceId), enabled: write });
  // No code exists for a moment between two codes.
  const waiting = error instanceof ApiProblem && error.code === 'conflict';
  if (!write)
    return (
      <Text c="dimmed" mb="md">
        {t("This account isn't paired yet. Ask someone who can manage instances to pair it.")}
      </Text>
    );
  return (
    <section className={classes.pairing} aria-label={t('Pairing')}>
      {error && !waiting && !data ? (
        <ProblemAlert error={error} />
      ) : data ? (
        <Step shown={data} instanceId={instanceId} />
      ) : (
        <Waiting />
      )}
    </section>
  );
}

const Waiting = () => (
  <Text c="dimmed" className={atoms.row} component="div" role="status">
    <Loader size="xs" /> {t('Waiting for the next code…')}
  </Text>
);

function Step({ shown, instanceId }: { shown: PairingShown; instanceId: string }) {
  const { step, svg } = shown;
  const expires = Date.parse(step.expires_at);
  const left = useFromClock((now) => Math.ceil((expires - now) / 1000));
  const [title, text] = STEPS[step.kind];
  const over = left <= 0;
  return (
    <>
      {svg !== null && (
        <img
          className={classes.qr}
          data-over={over || undefined}
          src={`data:image/svg+xml;utf8,${encodeURIComponent(svg)}`}
          alt={t('QR code for pairing the account')}
        />
      )}
      <div className={classes.pairingText}>
        <Title order={2}>{title}</Title>
        <Text maw={420}>{text}</Text>
        {step.kind === 'code' && (
          <div className={classes.code} data-over={over || undefined}>
            <span>{step.data}</span>
            <CopyButton text={step.data} label={t('Copy code')} />
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
            {t('Open link')}
          </Button>
        )}
        {over ? (
          <Waiting />
        ) : (
          <Text c="dimmed" className={classes.left}>
            {t('Expires in {left} seconds. A new code appears automatically.', { left })}
          </Text>
        )}
        <AsCurl call={{ method: 'GET', path: `/instances/${instanceId}/pairing` }} />
      </div>
    </>
  );
}
