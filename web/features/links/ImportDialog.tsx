/** Imports links from a CSV file. */
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import { linkImportPath } from '../../api/links.ts';
import type { Job } from '../../api/types.ts';
import { ImportDialog as CsvDialog } from '../../patterns/form/ImportDialog.tsx';
import { DomainSelect } from '../domains/DomainSelect.tsx';

interface ImportDialogProps {
  opened: boolean;
  onClose: () => void;
  onStarted: (job: Job) => void;
}

export function ImportDialog(props: ImportDialogProps) {
  const [domain, setDomain] = useState('');
  return (
    <CsvDialog
      title={t('Import links')}
      path={linkImportPath(domain)}
      fileName="links.csv"
      form={t(
        'The header row names the columns: url and, optionally, slug, tags, title, expires_at, max_clicks, external_id and the other columns of an export. Exports of Dub, Shlink, Kutt, Bitly and YOURLS work unchanged, without clicks and passwords. Rows update links with the same external_id or short link, so you can import a file again.',
      )}
      example={'url,slug,tags,external_id\nhttps://example.com/a,launch,"spring,mail",campaign-42'}
      {...props}
    >
      <DomainSelect
        label={t('Domain')}
        placeholder={t("As set in the file, or this server's domain")}
        value={domain}
        onChange={setDomain}
      />
    </CsvDialog>
  );
}
