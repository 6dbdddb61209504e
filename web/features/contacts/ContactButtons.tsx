/** The actions of the contact list: buttons, or a menu on phones. */
import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconDownload, IconUpload, IconUserSearch } from '@tabler/icons-react';
import { type ContactFilter, exportPath } from '../../api/contacts.ts';
import { useCan } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { useExport } from '../../patterns/ExportButton.tsx';
import { RowMenu } from '../../patterns/RowMenu.tsx';

interface ContactButtonsProps {
  filter: ContactFilter;
  /** There is nothing to export. */
  isEmpty: boolean;
  onCheck: () => void;
  onImport: () => void;
  /** The primary button: after the others, before a menu. */
  children: React.ReactNode;
}

export function ContactButtons(props: ContactButtonsProps) {
  const { filter, isEmpty, onCheck, onImport, children } = props;
  const writes = useCan('contacts:write');
  const narrow = useMediaQuery('(max-width: 40em)');
  const exporting = useExport(exportPath(filter), 'contacts.csv');
  const actions = [
    ...(writes
      ? [
          { id: 'check', label: t('Check addresses'), icon: IconUserSearch, onClick: onCheck },
          { id: 'import', label: t('Import'), icon: IconUpload, onClick: onImport },
        ]
      : []),
    ...(isEmpty
      ? []
      : [{ id: 'export', label: t('Export'), icon: IconDownload, onClick: () => exporting.mutate() }]),
  ];
  if (narrow)
    return (
      <>
        {children}
        <RowMenu of={t('Contacts')} actions={actions} />
      </>
    );
  return (
    <>
      {actions.map(({ id, label, icon: Icon, onClick }) => (
        <Button
          key={id}
          variant="default"
          leftSection={<Icon size={16} />}
          loading={id === 'export' && exporting.isPending}
          onClick={onClick}
        >
          {label}
        </Button>
      ))}
      {children}
    </>
  );
}
