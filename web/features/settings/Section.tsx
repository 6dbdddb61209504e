import { Stack, Text, Title } from '@mantine/core';

interface SectionProps {
  title: string;
  description?: string;
  children: React.ReactNode;
}

/** A section of the settings. */
export function Section({ title, description, children }: SectionProps) {
  return (
    <section>
      <Title order={2}>{title}</Title>
      {description && <Text c="dimmed">{description}</Text>}
      <Stack mt="sm">{children}</Stack>
    </section>
  );
}
