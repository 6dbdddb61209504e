/** Links to pages of the console, typed by the router, that look like Mantine's. */
import { Anchor, Button, type AnchorProps, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';

type Native = Omit<React.ComponentProps<'a'>, keyof AnchorProps>;
type NativeButton = Omit<React.ComponentProps<'a'>, keyof ButtonProps>;

export const TextLink = createLink((props: AnchorProps & Native) => <Anchor {...props} />);

export const ButtonLink = createLink((props: ButtonProps & NativeButton) => (
  <Button component="a" {...props} />
));
