/**
 * Defaults of Mantine's components: dense controls, quiet modals. They are named here, not
 * imported, so that the first page loads only the components that it shows.
 */
import type {
  ActionIconProps,
  ButtonProps,
  CheckboxProps,
  DrawerProps,
  DrawerRootProps,
  InputProps,
  MantineThemeComponents,
  MenuDropdownProps,
  MenuProps,
  ModalProps,
  ModalRootProps,
} from '@mantine/core';
import { t } from '../copy/text.ts';
import { returnFocus } from './return-focus.ts';

const buttonSizes: Record<string, Record<string, string>> = {
  sm: { '--button-height': '2rem', '--button-padding-x': '0.75rem', '--button-fz': '0.8125rem' },
  'compact-xs': { '--button-height': '1.5rem' },
  xs: { '--button-height': '1.75rem', '--button-padding-x': '0.625rem', '--button-fz': '0.75rem' },
};

/** No shadow shows on a dark page. */
const EDGE = '1px solid light-dark(transparent, var(--mantine-color-default-border))';

/** WCAG 2.2 asks 24 pixels of targets that stand close to others; the library's small icons are smaller. */
const SMALL_ICONS = new Set(['xs', 'sm']);

/**
 * Puts the focus on the button of a menu before the menu closes. A menu that is mounted open doesn't remember the button,
 * and a dialog that an item opens gives the focus back to where it was.
 */
const focusMenuButton = ({ currentTarget }: React.SyntheticEvent): void => {
  const id = currentTarget.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  document.getElementById(id ?? '')?.focus();
};

export const components: MantineThemeComponents = {
  ActionIcon: {
    vars: (_theme: unknown, { size }: ActionIconProps) => ({
      root: SMALL_ICONS.has(String(size)) ? { '--ai-size': '1.5rem' } : {},
    }),
  },
  // Underlined, because links also stand inside text.
  Anchor: { defaultProps: { inherit: true, underline: 'always' } },
  Badge: {
    defaultProps: { variant: 'default', radius: 'xs', size: 'sm' },
    styles: { root: { textTransform: 'none', fontWeight: 500 } },
  },
  Button: {
    defaultProps: { size: 'sm' } satisfies Partial<ButtonProps>,
    vars: (_theme: unknown, { size }: ButtonProps) => ({ root: buttonSizes[String(size)] ?? {} }),
  },
  Checkbox: { defaultProps: { radius: 'xs' } satisfies Partial<CheckboxProps> },
  Drawer: {
    defaultProps: { transitionProps: { duration: 120 } } satisfies Partial<DrawerProps>,
    styles: { content: { border: EDGE } },
  },
  DrawerRoot: { defaultProps: { onExitTransitionEnd: returnFocus } satisfies Partial<DrawerRootProps> },
  Input: {
    vars: (_theme: unknown, { size }: InputProps) => ({
      wrapper: size === undefined || size === 'sm' ? { '--input-height': '2.125rem' } : {},
    }),
  },
  // Most fields are required, and a form that lacks one says so where it is sent.
  InputWrapper: {
    defaultProps: { withAsterisk: false },
    styles: { label: { marginBottom: 3 }, description: { marginBottom: 5, fontSize: '0.75rem' } },
  },
  Menu: {
    defaultProps: {
      // The first item has the focus instead; an empty element in a menu is one that a screen reader stumbles on.
      withInitialFocusPlaceholder: false,
      shadow: 'md',
      transitionProps: { duration: 80 },
    } satisfies Partial<MenuProps>,
  },
  MenuDropdown: {
    defaultProps: {
      onKeyDown: (event) => {
        if (event.key === 'Escape') focusMenuButton(event);
      },
    } satisfies Partial<MenuDropdownProps>,
  },
  MenuItem: { defaultProps: { onClickCapture: focusMenuButton } },
  Modal: {
    defaultProps: {
      centered: true,
      closeButtonProps: { 'aria-label': t('Close') },
      overlayProps: { backgroundOpacity: 0.45 },
      transitionProps: { duration: 120 },
    } satisfies Partial<ModalProps>,
    styles: { title: { fontWeight: 600, fontSize: '1rem' }, content: { border: EDGE } },
  },
  ModalRoot: { defaultProps: { onExitTransitionEnd: returnFocus } satisfies Partial<ModalRootProps> },
  Notification: {
    styles: {
      root: {
        background: 'light-dark(var(--surface), var(--mantine-color-dark-6))',
        boxShadow: 'var(--mantine-shadow-lg)',
      },
    },
  },
  SegmentedControl: { defaultProps: { withItemsBorders: false }, styles: { label: { paddingInline: 9 } } },
  Tabs: {
    vars: () => ({ root: { '--tabs-list-border-size': '1px', '--tabs-color': 'var(--accent-text)' } }),
  },
  Text: { defaultProps: { size: 'sm' } },
};
