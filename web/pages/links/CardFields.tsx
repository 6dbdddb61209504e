/** What previews show of a link: in messengers, on social networks, and on its own preview page. */
import { Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import type { Form } from '../../ui/use-form.ts';
import type { LinkForm } from './link-form.ts';
import classes from './links.module.css';

const hostOf = (url: string): string | null => URL.parse(url.trim())?.host || null;

export function CardFields({ form }: { form: Form<LinkForm> }) {
  const { values } = form;
  return (
    <Stack gap="sm">
      <TextInput label="Title" placeholder="Spring launch" maxLength={300} {...form.text('title')} />
      <Textarea
        label="Description"
        autosize
        minRows={2}
        maxRows={6}
        maxLength={1000}
        {...form.text('description')}
      />
      <TextInput
        label="Picture"
        description="Address of a picture, http or https"
        placeholder="https://"
        spellCheck={false}
        {...form.text('image')}
      />
      {[values.title, values.description, values.image].some((text) => text.trim() !== '') ? (
        <Card {...values} />
      ) : (
        <Text size="xs" c="dimmed">
          Without any of these, previews show what the target says of itself.
        </Text>
      )}
    </Stack>
  );
}

/** The card as messengers draw it. Another server's picture is not loaded: it would tell that server who looks. */
function Card({ domain, slug, title, description, image }: LinkForm) {
  const picture = hostOf(image);
  const host = domain || window.location.host;
  return (
    <figure className={classes.card} aria-label="Preview of the card">
      {picture !== null && (
        <div className={classes.picture}>
          <IconPhoto size={22} stroke={1.4} />
          <span>{`picture from ${picture}`}</span>
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
