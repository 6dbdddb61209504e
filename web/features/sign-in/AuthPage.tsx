/** The layout of the pages before sign-in: the logo, a title and a form in a narrow column. */
import { Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { t } from '../../copy/text.ts';
import { Logo } from '../../design/Logo.tsx';
import classes from './auth-page.module.css';

interface AuthPageProps {
  title: string;
  description?: React.ReactNode;
  children: React.ReactNode;
  /** A wider column, for more than a form. */
  wide?: boolean;
  /** Shown below the form: a link to another form. */
  foot?: React.ReactNode;
}

export function AuthPage({ title, description, children, wide = false, foot }: AuthPageProps) {
  useDocumentTitle(`${title} · Fairlead`);
  return (
    <main className={classes.page}>
      <div className={classes.column} data-wide={wide || undefined}>
        <div className={classes.brand}>
          <Logo size={28} />
          <span>{t('Fairlead')}</span>
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
