import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, Suspense } from 'react';
import { scopesQuery } from '../../api/api-keys.ts';
import { t } from '../../copy/text.ts';
import type { AnsweredKey } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { CodeBlock } from '../../design/CodeBlock.tsx';
import { SecretDialog } from '../../patterns/lazy-dialogs.tsx';
import { lazily } from '../../patterns/lazily.ts';
import { LoadingList } from '../../patterns/ListStates.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { TextLink } from '../../design/links.tsx';
import { Arrived } from '../overview/Arrival.tsx';
import { Steps } from '../overview/Steps.tsx';
import { LiveCheck } from './LiveCheck.tsx';
import { snippetFor } from './site-form.ts';
import { useCalledKey } from './use-called-key.ts';

const SiteKeyForm = lazily(() => import('./SiteKeyForm.tsx'), 'SiteKeyForm');

interface CreatedKey {
  key: AnsweredKey;
  secret: string;
  since: number;
}

export function YourSite() {
  const { workspace } = useWorkspace();
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const [stored, setStored] = useState(false);
  const ready = created && stored;
  const called = useCalledKey(workspace.id, created?.key.id);
  // With them the form has its height, and the steps below it don't move.
  const { isPending } = useQuery(scopesQuery(workspace.id));
  return (
    <>
      <PageHeader
        title={t('Your site')}
        description={t('Call the API directly from the browser, with a key that only works on your site.')}
      />
      {isPending ? (
        <LoadingList />
      ) : (
        <Suspense fallback={<LoadingList />}>
          <Steps
            steps={[
              {
                title: t('Create a browser key'),
                state: ready ? 'done' : 'current',
                body: ready ? (
                  <Text c="dimmed">
                    {t('{name}, for {origins}', {
                      name: created.key.name,
                      origins: created.key.allowed_origins.join(', '),
                    })}{' '}
                    <TextLink
                      to="/w/$workspace/api-keys"
                      params={{ workspace: workspace.slug }}
                      search={{ id: created.key.id }}
                    >
                      {t('View key')}
                    </TextLink>
                  </Text>
                ) : (
                  <SiteKeyForm
                    onDone={(key) => {
                      setCreated({ key, secret: key.secret ?? '', since: Date.now() });
                      setStored(false);
                    }}
                  />
                ),
              },
              {
                title: t('Add the snippet to your page'),
                state: called ? 'done' : ready ? 'current' : 'waiting',
                body: ready && (
                  <CodeBlock
                    text={snippetFor(created.secret, created.key.scopes, window.location.origin)}
                    label={t('Copy snippet')}
                    maxHeight={420}
                  />
                ),
              },
              {
                title: called ? t('Call received') : t('Watch your call arrive'),
                state: called ? 'done' : ready ? 'current' : 'waiting',
                body: ready && (
                  <>
                    {called ? (
                      <Arrived apiKey={called} />
                    ) : (
                      <LiveCheck origins={created.key.allowed_origins} since={created.since} />
                    )}
                    <Button variant="default" size="xs" mt="md" onClick={() => setCreated(null)}>
                      {t('Create another key')}
                    </Button>
                  </>
                ),
              },
            ]}
          />
        </Suspense>
      )}
      <SecretDialog
        secret={created && !stored ? created.secret : null}
        title={t('Your browser key')}
        onDone={() => setStored(true)}
      />
    </>
  );
}
