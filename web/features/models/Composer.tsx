/** Writes a message to the models of the playground, with an image if wanted. */
import { ActionIcon, Button, FileButton, Text, Textarea } from '@mantine/core';
import { IconPhoto, IconPlayerStopFilled, IconSend2, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import classes from './models.module.css';

interface ComposerProps {
  running: boolean;
  /** The model waits for the result of tools. */
  waitsForTools: boolean;
  disabled: boolean;
  draft: string;
  onDraft: (text: string) => void;
  onSend: (text: string, images: readonly string[]) => void;
  onStop: () => void;
}

/** A request has at most 32 MiB, and base64 takes a third more than the file. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

const toDataUrl = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result as string));
    reader.addEventListener('error', () => reject(reader.error ?? new Error(t('Something went wrong'))));
    reader.readAsDataURL(file);
  });

export function Composer(props: ComposerProps) {
  const { running, waitsForTools, disabled, draft, onDraft, onSend, onStop } = props;
  const [image, setImage] = useState<{ name: string; url: string } | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const isBlank = draft.trim() === '' && image === null;
  const send = () => {
    if (isBlank || running || disabled) return;
    onSend(draft.trim(), image === null ? [] : [image.url]);
    onDraft('');
    setImage(null);
  };
  const attach = async (file: File | null) => {
    if (!file) return;
    const isTooBig = file.size > MAX_IMAGE_BYTES;
    setFault(isTooBig ? t('The image is larger than 5 MiB.') : null);
    if (isTooBig) return;
    try {
      setImage({ name: file.name, url: await toDataUrl(file) });
    } catch {
      setFault(t("The file can't be read."));
    }
  };
  const label = waitsForTools ? t('Tool result') : t('Message');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {image && (
        <div className={classes.attached}>
          <img src={image.url} alt="" className={classes.thumbnail} />
          <Text size="xs" truncate>
            {image.name}
          </Text>
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            aria-label={t('Remove image')}
            onClick={() => setImage(null)}
          >
            <IconX size={14} />
          </ActionIcon>
        </div>
      )}
      {fault !== null && (
        <Text size="xs" c="var(--mantine-color-error)" mb={6} role="alert">
          {fault}
        </Text>
      )}
      <div className={classes.compose}>
        <FileButton accept="image/*" onChange={(file) => void attach(file)}>
          {(button) => (
            <ActionIcon
              {...button}
              variant="default"
              size={34}
              aria-label={t('Attach image')}
              data-tip={t('Attach image')}
              disabled={waitsForTools}
            >
              <IconPhoto size={16} />
            </ActionIcon>
          )}
        </FileButton>
        <Textarea
          aria-label={label}
          placeholder={label}
          autosize
          minRows={1}
          maxRows={6}
          flex={1}
          value={draft}
          onChange={({ currentTarget }) => onDraft(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        {running ? (
          <Button variant="default" leftSection={<IconPlayerStopFilled size={14} />} onClick={onStop}>
            {t('Stop')}
          </Button>
        ) : (
          <Button type="submit" leftSection={<IconSend2 size={16} />} disabled={isBlank || disabled}>
            {t('Send')}
          </Button>
        )}
      </div>
    </form>
  );
}
