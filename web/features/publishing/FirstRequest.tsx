/** A command that posts to an endpoint, and a live view of the next request. */
import { Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { plural, t } from '../../copy/text.ts';
import type { Publication, PublishingEndpoint } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { CodeBlock } from '../../design/CodeBlock.tsx';
import { TextLink } from '../../design/links.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { firstError, publicationLabel } from '../publications/publication-text.ts';
import { useLivePublications } from '../publications/use-live-publications.ts';
import classes from './first-request.module.css';
import { payloadCurl } from './payload-curl.ts';

interface FirstRequestProps {
  endpoint: Pick<PublishingEndpoint, 'id' | 'url' | 'auth' | 'received'>;
  secret: string | null;
  payload: unknown;
}

const INSTRUCTIONS = {
  secret_url: t('Post to the URL:'),
  bearer: t('Post with an API key that has the publishing:publish scope:'),
  signature: t('Post a request signed with the secret:'),
} as const;

export function FirstRequest({ endpoint, secret, payload }: FirstRequestProps) {
  const { workspace } = useWorkspace();
  const [latest, setLatest] = useState<Publication | null>(null);
  const { state: stream } = useLivePublications({ endpointId: endpoint.id, onPublication: setLatest });
  return (
    <div className={classes.first}>
      <Text size="xs" c="dimmed">
        {INSTRUCTIONS[endpoint.auth.type]}{' '}
        {endpoint.auth.type === 'bearer' && (
          <TextLink
            to="/w/$workspace/api-keys"
            params={{ workspace: workspace.slug }}
            search={{ create: true }}
          >
            {t('Create API key')}
          </TextLink>
        )}
      </Text>
      <CodeBlock text={payloadCurl(endpoint, secret, payload)} label={t('Copy command')} maxHeight={230} />
      {latest ? (
        <FirstPublication publication={latest} />
      ) : (
        <div className={classes.waiting} role="status">
          <span className={classes.pulse} aria-hidden />
          <Text c="dimmed">
            {stream === 'retrying'
              ? t('Reconnecting')
              : endpoint.received === 0
                ? t('Waiting for the first request. It appears here automatically.')
                : t('Waiting for the next request. It appears here automatically.')}
          </Text>
        </div>
      )}
    </div>
  );
}

function FirstPublication({ publication }: { publication: Publication }) {
  const error = firstError(publication);
  const isBad = publication.status === 'rejected' || publication.status === 'failed';
  const Icon = isBad ? IconX : IconCheck;
  return (
    <div className={classes.arrived} data-bad={isBad || undefined} role="status">
      <span className={classes.mark} aria-hidden>
        <Icon size={16} stroke={2.5} />
      </span>
      <div>
        <Text fw={600}>{t('Request received: {status}', { status: publicationLabel(publication) })}</Text>
        <Text size="xs" c="dimmed" component="div">
          {error ?? plural(publication.size, { one: '{count} byte', other: '{count} bytes' })},{' '}
          <RelativeTime at={publication.created_at} />
        </Text>
      </div>
    </div>
  );
}
