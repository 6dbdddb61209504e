/**
 * A message before it is one: as `POST /messages` takes it, shown as it will look. All of it is text, whoever wrote it;
 * files are named, not fetched: they stand on anybody's server.
 */
import { IconFile } from '@tabler/icons-react';
import { JsonView } from '../../ui/JsonView.tsx';
import ui from '../../ui/ui.module.css';
import classes from './publications.module.css';

type Body = Record<string, unknown>;

const FILES = new Set(['image', 'video', 'audio', 'voice', 'document', 'sticker']);
const isRecord = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textAt = (value: Body, name: string): string | null =>
  typeof value[name] === 'string' && value[name] !== '' ? value[name] : null;

export function MessageOf({ message }: { message: Body | null | undefined }) {
  if (!message) return null;
  const type = textAt(message, 'type') ?? 'text';
  const content = message[type];
  const subject = textAt(message, 'subject');
  return (
    <div className={classes.bubble} dir="auto">
      {subject !== null && <strong className={classes.subject}>{subject}</strong>}
      {isRecord(content) && type === 'text' ? (
        <div className={classes.text}>{textAt(content, 'body')}</div>
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
  const address = textAt(content, 'url') ?? textAt(content, 'media_id');
  const caption = textAt(content, 'caption');
  return (
    <>
      <div className={classes.file}>
        <IconFile size={20} stroke={1.5} aria-hidden />
        <span>
          <strong>{textAt(content, 'file_name') ?? type}</strong>
          <span className={ui.mono}>{address ?? 'no file'}</span>
        </span>
      </div>
      {caption !== null && <div className={classes.text}>{caption}</div>}
    </>
  );
}
