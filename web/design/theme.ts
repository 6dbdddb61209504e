/**
 * The console's look as Mantine reads it: one accent (a deep sea teal), cool gray, small type, tight controls.
 * Contrast is chosen here, once: each text color below reaches 4.5:1 on each surface it is used on.
 */
import {
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';
import { components } from './theme-components.ts';

// prettier-ignore
const sea: MantineColorsTuple = [
  '#e6f5f4', '#cdeae8', '#a0d9d5', '#6fc4bf', '#45aeaa', '#239593', '#128080', '#0b6b6c', '#09575a', '#073f43',
];
const gray: MantineColorsTuple = [
  '#f7f8f9',
  '#f0f2f4',
  '#e4e7ea',
  '#d4d9de',
  '#b6bdc5',
  '#8b949e',
  '#68717b',
  '#4f5860',
  '#343b42',
  '#1b2025',
];
const dark: MantineColorsTuple = [
  '#d8dce1',
  '#a9b1ba',
  '#87909a',
  '#5d666f',
  '#3b424a',
  '#2c3238',
  '#21262b',
  '#171b1f',
  '#111417',
  '#0b0d0f',
];

const red: MantineColorsTuple = [
  '#fdf1f1',
  '#fae0e0',
  '#f3bcbc',
  '#f09a9a',
  '#e66c6c',
  '#dc4f4f',
  '#d03838',
  '#bd2626',
  '#a51d1d',
  '#8a1616',
];

const variantColorResolver: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  const name = input.color ?? input.theme.primaryColor;
  if (input.variant !== 'light' && input.variant !== 'subtle' && input.variant !== 'outline') return colors;
  if (!(name in input.theme.colors) || name === 'gray' || name === 'dark') return colors;
  return { ...colors, color: `light-dark(var(--mantine-color-${name}-9), var(--mantine-color-${name}-3))` };
};

export const theme = createTheme({
  primaryColor: 'sea',
  primaryShade: { light: 7, dark: 7 },
  colors: { sea, gray, dark, red },
  variantColorResolver,
  black: '#1b2025',
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, 'SF Mono', Menlo, monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.25' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.8125rem', lineHeight: '1.4' },
    },
  },
  defaultRadius: 'sm',
  radius: { xs: '3px', sm: '6px', md: '8px', lg: '12px', xl: '20px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components,
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: { '--combobox-chevron-color': 'var(--mantine-color-dimmed)' },
  light: {
    '--mantine-color-dimmed': '#5a636d',
    '--mantine-color-placeholder': '#68717b',
    '--mantine-color-error': '#c22525',
    '--mantine-color-anchor': 'var(--mantine-color-sea-8)',
    '--mantine-color-default-border': 'var(--mantine-color-gray-3)',
    '--line': 'var(--mantine-color-gray-2)',
    '--control-border': 'var(--mantine-color-gray-5)',
    '--chart-grid': 'var(--mantine-color-gray-3)',
    '--focus-ring': 'var(--mantine-color-sea-7)',
    '--surface': '#ffffff',
    '--surface-sunken': 'var(--mantine-color-gray-0)',
    '--surface-hover': 'var(--mantine-color-gray-1)',
    '--surface-active': '#e3f0f0',
    '--accent-text': 'var(--mantine-color-sea-8)',
    '--code-text': '#22303a',
  },
  dark: {
    '--mantine-color-body': '#181c20',
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-2)',
    '--mantine-color-error': '#ff8b8b',
    '--mantine-color-anchor': 'var(--mantine-color-sea-3)',
    '--mantine-color-default-border': '#444c55',
    // A fill with enough contrast with the page, below white text. It lightens on hover.
    '--mantine-primary-color-filled': '#0f7676',
    '--mantine-primary-color-filled-hover': 'var(--mantine-color-sea-6)',
    '--mantine-color-sea-filled': '#0f7676',
    '--mantine-color-sea-filled-hover': 'var(--mantine-color-sea-6)',
    '--mantine-color-sea-light': 'var(--surface-active)',
    '--mantine-color-sea-light-hover': '#17403f',
    '--line': '#353c43',
    '--control-border': '#66707a',
    '--chart-grid': '#49515a',
    '--focus-ring': 'var(--mantine-color-sea-4)',
    '--surface': '#181c20',
    '--surface-sunken': '#101316',
    '--surface-hover': '#272d33',
    '--surface-active': '#123234',
    '--accent-text': 'var(--mantine-color-sea-3)',
    '--code-text': '#d5dde3',
  },
});
