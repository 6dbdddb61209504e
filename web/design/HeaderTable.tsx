/** Headers of a request or response. Values are always shown as text. */
import { t } from '../copy/text.ts';
import { CopyButton } from './CopyButton.tsx';
import classes from './header-table.module.css';
import ui from './ui.module.css';

interface HeaderTableProps {
  /** Names the table for screen readers: "Request headers". */
  label: string;
  headers: readonly { name: string; value: string }[];
}

/** Headers as the API gives them for attempts: a value may be a list. */
export const getHeaders = (record: Record<string, unknown>): { name: string; value: string }[] =>
  Object.entries(record).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => ({ name, value: String(one) })),
  );

/** The same header may come twice, with the same value too. */
const keyed = (headers: HeaderTableProps['headers']) =>
  headers.map((header, index) => ({ ...header, key: index }));

export function HeaderTable({ label, headers }: HeaderTableProps) {
  if (headers.length === 0) return <p className={ui.nothing}>{t('No headers')}</p>;
  const text = headers.map(({ name, value }) => `${name}: ${value}`).join('\n');
  return (
    <div className={ui.code}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long headers are scrolled by keys */}
      <div className={classes.headers} role="group" aria-label={label} tabIndex={0}>
        <dl>
          {keyed(headers).map(({ key, name, value }) => (
            <div key={key}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <CopyButton
        text={text}
        label={t('Copy {what}', { what: label.toLowerCase() })}
        className={ui.codeCopy}
      />
    </div>
  );
}
