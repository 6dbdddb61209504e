/** What stands in place of a page that is missing, failed or still loading. */
import { Button, Center, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { t } from '../copy/text.ts';
import { ProblemAlert } from './ProblemAlert.tsx';
import { TextLink } from '../design/links.tsx';

export function PageLoading() {
  return (
    <Center mih={240} flex={1}>
      <Loader size="sm" role="status" aria-label={t('Loading')} />
    </Center>
  );
}

export function PageMissing() {
  return (
    <Center mih="60dvh" p="md">
      <Stack align="center" gap="xs">
        <Title order={1}>{t('Page not found')}</Title>
        <Text c="dimmed" ta="center">
          {t("This page doesn't exist, or you aren't a member of its workspace.")}
        </Text>
        <TextLink to="/">{t('Go to your workspace')}</TextLink>
      </Stack>
    </Center>
  );
}

/** The same where no frame stands around it. */
export function WholePageMissing() {
  return (
    <main>
      <PageMissing />
    </main>
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
