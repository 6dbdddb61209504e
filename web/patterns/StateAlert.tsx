/** Shows the error of a page's record, with a button to fix it. */
import { Alert, Button, Text } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import ui from '../design/ui.module.css';

interface StateAlertProps {
  tone: 'bad' | 'warn' | 'idle';
  icon: Icon;
  title: string;
  /** Absent if the user may not mend it. */
  action?: { label: string; icon: Icon; loading?: boolean; run: () => void } | false | undefined;
  children: React.ReactNode;
}

const LOOKS = {
  bad: { color: 'red', className: ui.problem! },
  warn: { color: 'yellow', className: ui.warning! },
  idle: { color: 'gray', className: ui.notice! },
};

export function StateAlert({ tone, icon: Symbol, title, action, children }: StateAlertProps) {
  return (
    <Alert {...LOOKS[tone]} variant="light" mb="md" flex="none" icon={<Symbol size={16} />} title={title}>
      <Text component="div" maw={720} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
      {action && (
        <Button
          size="xs"
          variant="default"
          mt="sm"
          leftSection={<action.icon size={14} />}
          loading={action.loading ?? false}
          onClick={action.run}
        >
          {action.label}
        </Button>
      )}
    </Alert>
  );
}
