/** Title, description and image of a link's preview in messengers, on social networks and on its preview page. */
import { Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { withScheme } from '../../design/addresses.ts';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import type { LinkForm } from './link-form.ts';
import classes from './links.module.css';

const getHost = (url: string): string | null => URL.parse(withScheme(url))?.host || null;

export function CardFields({ form }: { form: ApiForm<LinkForm> }) {
  const { values } = form;
  return (
    <Stack gap="sm">
      <TextInput
        label={t('Title')}
        placeholder={t('Spring launch')}
        maxLength={300}
        {...form.text('title')}
      />
      <Textarea
        label={t('Description')}
        autosize
        minRows={2}
        maxRows={6}
        maxLength={1000}
        {...form.text('description')}
      />
      <TextInput
        label={t('Image')}
        description={t('An http or https URL.')}
        placeholder="https://"
        spellCheck={false}
        {...form.text('image')}
      />
      {[values.title, values.description, values.image].some((text) => text.trim() !== '') ? (
        <Card {...values} />
      ) : (
        <Text size="xs" c="dimmed">
          {t('Leave blank to use the title, description and image of the destination.')}
        </Text>
      )}
    </Stack>
  );
}

/** The preview as messengers show it. The image isn't loaded, since that would reveal the user to its server. */
function Card({ domain, slug, title, description, image }: LinkForm) {
  const picture = getHost(image);
  const { defaultDomain: own } = useWorkspace();
  const host = domain || own;
  return (
    <figure className={classes.card} aria-label={t('Link preview')}>
      {picture !== null && (
        <div className={classes.picture}>
          <IconPhoto size={22} stroke={1.4} />
          <span>{t('Image from {picture}', { picture })}</span>
        </div>
      )}
      <figcaption>
        <Text size="xs" c="dimmed" truncate>
          {host}
        </Text>
        <Text fw={600} lineClamp={2} dir="auto">
          {title.trim() || `${host}/${slug.trim() || '…'}`}
        </Text>
        {description.trim() !== '' && (
          <Text size="xs" lineClamp={3} dir="auto">
            {description}
          </Text>
        )}
      </figcaption>
    </figure>
  );
}
