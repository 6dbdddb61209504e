/** The details of a file, with a preview and the messages that contain it. */
import { Alert, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { mediaUsesQuery } from '../../api/media-list.ts';
import { contentPath } from '../../api/media.ts';
import type { Media } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { TextLink } from '../../design/links.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import type { Action } from '../../patterns/actions/action.ts';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { sizeWord } from '../../design/size-text.ts';
import { getSummary } from '../messages/message-text.ts';
import { chatLabel } from '../messages/chat-label.ts';
import { useChatsOf } from '../messages/use-chats-of.ts';
import { MediaStatus } from './media-columns.tsx';
import { isPicture, mediaName } from './media-text.ts';
import classes from './media.module.css';
import { ObjectName } from '../../patterns/ObjectName.tsx';

interface MediaSheetProps {
  media: Media;
  actions: readonly Action<Media>[];
}

export function MediaSheet({ media, actions }: MediaSheetProps) {
  const reads = useCan('messages:read');
  const { metadata, error } = media;
  return (
    <Stack>
      <ActionButtons record={media} of={mediaName(media)} actions={actions} size="xs" />
      {error && (
        <Alert color={media.state === 'failed' ? 'red' : 'yellow'} title={t("Couldn't fetch the file")}>
          {error.detail}
        </Alert>
      )}
      <Preview media={media} />
      <DescriptionList
        rows={[
          [t('ID'), <Id id={media.id} />],
          [t('Status'), <MediaStatus state={media.state} />],
          media.mime_type === null ? null : [t('Type'), <span className={ui.mono}>{media.mime_type}</span>],
          media.size === null ? null : [t('Size'), sizeWord(media.size)],
          media.sha256 === null ? null : [t('SHA-256'), <Id id={media.sha256} short of={t('SHA-256')} />],
          [t('Created'), <RelativeTime at={media.created_at} />],
          [t('Created by'), <ObjectName id={media.created_by} />],
        ]}
      />
      {reads && media.file_name !== null && <Uses media={media} fileName={media.file_name} />}
      {Object.keys(metadata).length > 0 && <JsonView value={metadata} />}
      <AsCurl call={{ method: 'GET', path: `/media/${media.id}` }} />
    </Stack>
  );
}

function Preview({ media }: { media: Media }) {
  const path = media.state === 'ready' ? contentPath(media) : null;
  const type = media.mime_type ?? '';
  if (path === null) return null;
  if (isPicture(media)) return <img className={classes.preview} src={path} alt={mediaName(media)} />;
  if (type.startsWith('video/'))
    return (
      // oxlint-disable-next-line jsx-a11y/media-has-caption -- files of messages have no captions
      <video
        className={classes.preview}
        src={path}
        controls
        preload="metadata"
        aria-label={mediaName(media)}
      />
    );
  if (type.startsWith('audio/'))
    return (
      // oxlint-disable-next-line jsx-a11y/media-has-caption -- as above
      <audio className={classes.preview} src={path} controls preload="none" aria-label={mediaName(media)} />
    );
  return null;
}

function Uses({ media, fileName }: { media: Media; fileName: string }) {
  const { workspace } = useWorkspace();
  const { data: messages, error } = useQuery(mediaUsesQuery(workspace.id, media.id, fileName));
  const chats = useChatsOf(messages ?? []);
  // Messages without a file name of their own can't be found: an empty result doesn't mean that there are none.
  if (!error && !messages?.length) return null;
  return (
    <section>
      <Title order={3} size="h5">
        {t('Messages')}
      </Title>
      {error && <ProblemAlert error={error} />}
      <ul className={classes.uses}>
        {messages?.map((message) => (
          <li key={message.id}>
            <TextLink
              to="/w/$workspace/chats/$id"
              params={{ workspace: workspace.slug, id: message.chat.id }}
              search={{ message: message.id }}
              title={getSummary(message)}
            >
              {chatLabel(message, chats)}
            </TextLink>
            <RelativeTime at={message.created_at} />
          </li>
        ))}
      </ul>
    </section>
  );
}
