/** Title of a page, what it is for, and its actions. Also names the browser tab. */
import { Group, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { Fragment } from 'react';
import classes from './ui.module.css';

interface PageHeaderProps {
  title: string;
  /** Small actions on the title, such as copying it. */
  beside?: React.ReactNode;
  description?: React.ReactNode;
  children?: React.ReactNode;
}

export function PageHeader({ title, beside, description, children }: PageHeaderProps) {
  useDocumentTitle(`${title} · Fairlead`);
  const heading = (
    <Title order={1}>
      {/* An address breaks after its slashes. */}
      {[...title.matchAll(/[^/]+\/*|\/+/g)].map(({ 0: part, index: start }) => (
        <Fragment key={start}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </Title>
  );
  return (
    <div className={classes.pageHeader}>
      <div>
        {beside ? (
          <div className={classes.titleRow}>
            {heading}
            {beside}
          </div>
        ) : (
          heading
        )}
        {description && (
          <Text component="div" c="dimmed" mt={2} maw={640} className={classes.pretty}>
            {description}
          </Text>
        )}
      </div>
      {children && <Group gap="xs">{children}</Group>}
    </div>
  );
}
