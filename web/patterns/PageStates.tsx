/** Shown in place of a page that is missing, failed or still loading. */
import { Button, Center, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { type LinkProps, useRouter } from '@tanstack/react-router';
import { t } from '../copy/text.ts';
import { ProblemAlert, RequestId } from './ProblemAlert.tsx';
import { ButtonLink, TextLink } from '../design/links.tsx';

export function PageLoading() {
  return (
    <Center mih={240} flex={1}>
      <Loader size="sm" role="status" aria-label={t('Loading')} />
    </Center>
  );
}

function NotFound({ title, text, children }: { title: string; text: string; children: React.ReactNode }) {
  return (
    <Center mih="60dvh" p="md">
      <Stack align="center" gap="xs">
        <Title order={1}>{title}</Title>
        <Text c="dimmed" ta="center">
          {text}
        </Text>
        {children}
      </Stack>
    </Center>
  );
}

export function PageMissing() {
  return (
    <NotFound
      title={t('Page not found')}
      text={t("This page doesn't exist, or you aren't a member of its workspace.")}
    >
      <TextLink to="/">{t('Go to your workspace')}</TextLink>
    </NotFound>
  );
}

interface RecordMissingProps {
  /** "Webhook". */
  noun: string;
  /** The list that leads to others. */
  back: { label: string; to: LinkProps['to'] & string };
  requestId: string | null;
}

/** In place of the page of a record that there is not. */
export function RecordMissing({ noun, back, requestId }: RecordMissingProps) {
  const title = t('{noun} not found', { noun });
  useDocumentTitle(`${title} · Fairlead`);
  return (
    <NotFound title={title} text={t('It may have been deleted, or it belongs to another workspace.')}>
      <ButtonLink variant="default" to={back.to} my="xs">
        {t('Back to {list}', { list: back.label.toLowerCase() })}
      </ButtonLink>
      <RequestId id={requestId} />
    </NotFound>
  );
}

export function PageFailed({ error, reset }: { error: unknown; reset: () => void }) {
  const router = useRouter();
  return (
    <Center mih="60dvh" p="md">
      <Stack maw={560} w="100%">
        <ProblemAlert error={error} />
        <Group>
          <Button
            variant="default"
            onClick={() => {
              reset();
              void router.invalidate();
            }}
          >
            {t('Try again')}
          </Button>
        </Group>
      </Stack>
    </Center>
  );
}
