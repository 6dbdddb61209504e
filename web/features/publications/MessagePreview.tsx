/**
 * Previews a message in the format of `POST /messages`. Everything is shown as text; files are named but not fetched,
 * since they are on other servers.
 */
import { IconFile } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import { JsonView } from '../../design/JsonView.tsx';
import atoms from '../../design/atoms.module.css';
import ui from '../../design/ui.module.css';
import classes from './publications.module.css';

type Body = Record<string, unknown>;

const FILES = new Set(['image', 'video', 'audio', 'voice', 'document', 'sticker']);
const isRecord = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const getText = (value: Body, name: string): string | null =>
  typeof value[name] === 'string' && value[name] !== '' ? value[name] : null;

export function MessagePreview({ message }: { message: Body | null | undefined }) {
  if (!message) return null;
  const type = getText(message, 'type') ?? 'text';
  const content = message[type];
  const subject = getText(message, 'subject');
  return (
    <div className={classes.bubble} dir="auto">
      {subject !== null && <strong className={classes.subject}>{subject}</strong>}
      {isRecord(content) && type === 'text' ? (
        <div className={atoms.written}>{getText(content, 'body')}</div>
      ) : isRecord(content) && FILES.has(type) ? (
        <File type={type} content={content} />
      ) : (
        <div className={classes.other}>
          <span className={classes.type}>{type}</span>
          {content !== undefined && <JsonView value={content} maxHeight={240} />}
        </div>
      )}
    </div>
  );
}

function File({ type, content }: { type: string; content: Body }) {
  const address = getText(content, 'url') ?? getText(content, 'media_id');
  const caption = getText(content, 'caption');
  return (
    <>
      <div className={`${classes.file} ${atoms.row}`}>
        <IconFile size={20} stroke={1.5} aria-hidden />
        <span className={atoms.wordStack}>
          <strong>{getText(content, 'file_name') ?? type}</strong>
          <span className={ui.mono}>{address ?? t('No file')}</span>
        </span>
      </div>
      {caption !== null && <div className={atoms.written}>{caption}</div>}
    </>
  );
}
