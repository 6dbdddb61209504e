/** Title of a page, what it is for, and its actions. Also names the browser tab. */
import { Group, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import classes from './ui.module.css';

interface PageHeaderProps {
  title: string;
  /** Small things to do with what the title says, as copying it. */
  beside?: React.ReactNode;
  description?: React.ReactNode;
  children?: React.ReactNode;
}

export function PageHeader({ title, beside, description, children }: PageHeaderProps) {
  useDocumentTitle(`${title} · Fairlead`);
  return (
    <div className={classes.pageHeader}>
      <div>
        {beside ? (
          <div className={classes.titleRow}>
            <Title order={1}>{title}</Title>
            {beside}
          </div>
        ) : (
          <Title order={1}>{title}</Title>
        )}
        {description && (
          <Text c="dimmed" mt={2} maw={640} className={classes.pretty}>
            {description}
          </Text>
        )}
      </div>
      {children && <Group gap="xs">{children}</Group>}
    </div>
  );
}
