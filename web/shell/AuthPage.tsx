/** The frame of the pages before sign-in: one narrow column, the mark, a title and a form. */
import { Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { Logo } from './Logo.tsx';
import classes from './auth-page.module.css';

interface AuthPageProps {
  title: string;
  description?: React.ReactNode;
  children: React.ReactNode;
  /** Room for more than a form. */
  wide?: boolean;
  /** What stands under the form: the way to the other forms. */
  foot?: React.ReactNode;
}

export function AuthPage({ title, description, children, wide = false, foot }: AuthPageProps) {
  useDocumentTitle(`${title} · Fairlead`);
  return (
    <main className={classes.page}>
      <div className={classes.column} data-wide={wide || undefined}>
        <div className={classes.brand}>
          <Logo size={28} />
          <span>Fairlead</span>
        </div>
        <div className={classes.card}>
          <Stack gap={4} mb="lg">
            <Title order={1}>{title}</Title>
            {description && <Text c="dimmed">{description}</Text>}
          </Stack>
          {children}
        </div>
        {foot && <div className={classes.foot}>{foot}</div>}
      </div>
    </main>
  );
}
