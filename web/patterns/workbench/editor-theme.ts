/** The look of template editors; colors come from the console's variables, so that it follows light and dark. */
import { EditorView } from '@codemirror/view';

export const editorTheme = EditorView.theme({
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    fontSize: '0.75rem',
    lineHeight: '1.6',
    fontVariantLigatures: 'none',
  },
  '.cm-content': {
    minHeight: 'var(--editor-height)',
    padding: '7px 0',
    caretColor: 'var(--mantine-color-text)',
    color: 'var(--code-text)',
  },
  '.cm-line': { padding: '0 10px' },
  '.cm-placeholder': { color: 'var(--mantine-color-placeholder)' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--mantine-radius-sm)',
    background: 'var(--mantine-color-body)',
    boxShadow: 'var(--mantine-shadow-md)',
    color: 'var(--mantine-color-text)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    maxHeight: '220px',
    fontFamily: 'var(--mantine-font-family-monospace)',
    fontSize: '0.75rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 10px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--surface-active)',
    color: 'var(--mantine-color-text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-completionDetail': { color: 'var(--mantine-color-dimmed)', fontStyle: 'normal' },
});
