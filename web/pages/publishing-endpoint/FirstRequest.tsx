/** How to post to an endpoint, and the moment when somebody does: it is seen arriving. */
import { Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import type { Publication, PublishingEndpoint } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { TextLink } from '../../ui/links.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { faultLine, wordOf } from '../publications/publication-text.ts';
import { useLivePublications } from '../publications/use-live-publications.ts';
import classes from './first-request.module.css';
import { payloadCurl } from './payload-curl.ts';

interface FirstRequestProps {
  endpoint: Pick<PublishingEndpoint, 'id' | 'url' | 'auth'>;
  secret: string | null;
  payload: unknown;
}

const WHERE = {
  secret_url: 'Post to the address, from anywhere:',
  bearer: 'Post with an API key that has the scope publishing:publish:',
  signature: 'Post signed by the secret, as its sender will:',
} as const;

export function FirstRequest({ endpoint, secret, payload }: FirstRequestProps) {
  const { workspace } = useWorkspace();
  const [latest, setLatest] = useState<Publication | null>(null);
  const stream = useLivePublications(workspace.id, { endpointId: endpoint.id, onPublication: setLatest });
  return (
    <div className={classes.first}>
      <Text size="xs" c="dimmed">
        {WHERE[endpoint.auth.type]}{' '}
        {endpoint.auth.type === 'bearer' && (
          <TextLink
            to="/w/$workspace/api-keys"
            params={{ workspace: workspace.slug }}
            search={{ create: true }}
          >
            Create one
          </TextLink>
        )}
      </Text>
      <CodeBlock
        text={payloadCurl(endpoint, secret, payload)}
        label="Copy the command"
        maxHeight={230}
        wrap
      />
      {latest ? (
        <Arrived publication={latest} />
      ) : (
        <div className={classes.waiting} role="status">
          <span className={classes.pulse} aria-hidden />
          <Text c="dimmed">
            {stream === 'retrying'
              ? 'Connecting again, to see it arrive.'
              : 'Waiting for the first request. It shows up here by itself.'}
          </Text>
        </div>
      )}
    </div>
  );
}

function Arrived({ publication }: { publication: Publication }) {
  const fault = faultLine(publication);
  const isBad = publication.status === 'rejected' || publication.status === 'failed';
  const Icon = isBad ? IconX : IconCheck;
  return (
    <div className={classes.arrived} data-bad={isBad || undefined} role="status">
      <span className={classes.mark} aria-hidden>
        <Icon size={16} stroke={2.5} />
      </span>
      <div>
        <Text fw={600}>It arrived: {wordOf(publication)}</Text>
        <Text size="xs" c="dimmed" component="div">
          {fault ?? `${publication.size} bytes`}, <RelativeTime at={publication.created_at} />
        </Text>
      </div>
    </div>
  );
}
