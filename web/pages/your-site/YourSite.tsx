import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { AnsweredKey } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { OnceOpened, SecretDialog } from '../../ui/lazy-dialogs.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { TextLink } from '../../ui/links.tsx';
import { Arrived } from '../overview/Arrival.tsx';
import { Steps } from '../overview/Steps.tsx';
import { LiveCheck } from './LiveCheck.tsx';
import { snippetFor } from './site-form.ts';
import { SiteKeyForm } from './SiteKeyForm.tsx';
import { useCalledKey } from './use-called-key.ts';

interface Made {
  key: AnsweredKey;
  secret: string;
  since: number;
}

export function YourSite() {
  const { workspace } = useWorkspace();
  const [made, setMade] = useState<Made | null>(null);
  const [stored, setStored] = useState(false);
  const ready = made && stored;
  const called = useCalledKey(workspace.id, made?.key.id);
  return (
    <>
      <PageHeader
        title="Use it from your own site"
        description="Call the API straight from your visitors’ browsers, with a key that works only from your site and can do little."
      />
      <Steps
        steps={[
          {
            title: 'Make a key for the browser',
            state: ready ? 'done' : 'current',
            body: ready ? (
              <Text c="dimmed">
                {made.key.name}, for {made.key.allowed_origins.join(', ')}.{' '}
                <TextLink
                  to="/w/$workspace/api-keys"
                  params={{ workspace: workspace.slug }}
                  search={{ id: made.key.id }}
                >
                  Look at it
                </TextLink>
              </Text>
            ) : (
              <SiteKeyForm
                onDone={(key) => {
                  setMade({ key, secret: key.secret ?? '', since: Date.now() });
                  setStored(false);
                }}
              />
            ),
          },
          {
            title: 'Put this into your page',
            state: called ? 'done' : ready ? 'current' : 'waiting',
            body: ready && (
              <CodeBlock
                text={snippetFor(made.secret, made.key.scopes, window.location.origin)}
                label="Copy snippet"
                maxHeight={420}
              />
            ),
          },
          {
            title: called ? 'Your call arrived' : 'See it arrive',
            state: called ? 'done' : ready ? 'current' : 'waiting',
            body: ready && (
              <>
                {called ? (
                  <Arrived apiKey={called} />
                ) : (
                  <LiveCheck origins={made.key.allowed_origins} since={made.since} />
                )}
                <Button variant="default" size="xs" mt="md" onClick={() => setMade(null)}>
                  Make another key
                </Button>
              </>
            ),
          },
        ]}
      />
      <OnceOpened opened={made !== null && !stored}>
        <SecretDialog
          secret={made && !stored ? made.secret : null}
          title="Your browser key"
          onDone={() => setStored(true)}
        />
      </OnceOpened>
    </>
  );
}
