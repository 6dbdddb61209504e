/** CodeMirror, as template editors use it: Liquid highlighting, completion, and marked errors. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type Completion,
  type CompletionSource,
} from '@codemirror/autocomplete';
import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { Annotation, Compartment, EditorState, type Range, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  placeholder as placeholderOf,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { nonce } from '../../design/nonce.ts';
import classes from './code-editor.module.css';
import { editorTheme } from './editor-theme.ts';
import { completeLiquid, type Scope } from './liquid-completion.ts';
import { errorRanges, liquidTokens, type TokenKind } from './liquid-tokens.ts';

export interface EditorHandle {
  state: () => { text: string; cursor: number };
  /** Replaces the text without reporting it. */
  setText: (text: string) => void;
  /** Inserts at the cursor and moves the focus there. */
  insert: (text: string) => void;
  /** Sets the attributes of the text box. */
  describe: (attributes: Record<string, string>, placeholder: string) => void;
  /** Marks the places that error messages name. */
  mark: (messages: string) => void;
  destroy: () => void;
}

interface EditorOptions {
  parent: Element;
  text: string;
  single: boolean;
  bare: boolean;
  maxLength: number | undefined;
  getScope: () => Scope;
  onChange: (text: string) => void;
}

const fromOutside = Annotation.define<boolean>();

const TOKEN_MARKS = Object.fromEntries(
  (['tag', 'brace', 'keyword', 'filter', 'string', 'literal', 'path'] as const).map((kind) => [
    kind,
    Decoration.mark({ class: classes[kind] }),
  ]),
) as Record<TokenKind, Decoration>;

const highlighting = (bare: boolean) => {
  const decorate = (view: EditorView): DecorationSet =>
    Decoration.set(
      liquidTokens(view.state.doc.toString(), bare).map(({ from, to, kind }) =>
        TOKEN_MARKS[kind].range(from, to),
      ),
      true,
    );
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = decorate(view);
      }
      update(update: ViewUpdate) {
        if (update.docChanged) this.decorations = decorate(update.view);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
};

const setErrors = StateEffect.define<Range<Decoration>[]>();
const errorMark = Decoration.mark({ class: classes['faulty'] });
const errors = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, { changes, effects }) =>
    effects.reduce(
      (before, effect) => (effect.is(setErrors) ? Decoration.set(effect.value) : before),
      marks.map(changes),
    ),
  provide: (field) => EditorView.decorations.from(field),
});

const completion =
  (bare: boolean, getScope: () => Scope): CompletionSource =>
  ({ state, pos, explicit }) => {
    const found = completeLiquid(state.sliceDoc(0, pos), { scope: getScope(), bare, explicit });
    if (!found) return null;
    return {
      from: found.from,
      validFor: /^[\w-]*$/,
      options: found.options.map(({ bracket, ...option }): Completion => ({
        ...option,
        // Replaces the dot.
        ...(bracket !== undefined && {
          apply: (view, _option, from, to) =>
            view.dispatch({
              changes: { from: from - 1, to, insert: bracket },
              selection: { anchor: from - 1 + bracket.length },
            }),
        }),
      })),
    };
  };

/**
 * Replaces a selection with typed text. By default, Chromium copies the style of the old text to a style attribute,
 * which the Content-Security-Policy forbids.
 */
const replaceSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    if (event.inputType !== 'insertText' || event.data === null) return false;
    const selected = getSelection();
    // Some input methods name no target.
    const range = event.getTargetRanges()[0] ?? (selected?.rangeCount ? selected.getRangeAt(0) : undefined);
    if (!range || range.collapsed) return false;
    const from = view.posAtDOM(range.startContainer, range.startOffset);
    view.dispatch({
      changes: { from, to: view.posAtDOM(range.endContainer, range.endOffset), insert: event.data },
      selection: { anchor: from + event.data.length },
      userEvent: 'input.type',
    });
    return true;
  },
});

/** Keeps the text on one line and within its length. */
const limits = (single: boolean, maxLength: number | undefined) => [
  single
    ? EditorState.transactionFilter.of((transaction) =>
        transaction.docChanged && transaction.newDoc.lines > 1
          ? [
              transaction,
              {
                changes: Array.from({ length: transaction.newDoc.lines - 1 }, (_, at) => {
                  const { to } = transaction.newDoc.line(at + 1);
                  return { from: to, to: to + 1, insert: ' ' };
                }),
                sequential: true,
              },
            ]
          : transaction,
      )
    : [],
  maxLength === undefined
    ? []
    : EditorState.changeFilter.of(
        ({ newDoc, annotation }) => annotation(fromOutside) === true || newDoc.length <= maxLength,
      ),
];

export function createEditor(options: EditorOptions): EditorHandle {
  const { parent, text, single, bare, maxLength, getScope, onChange } = options;
  const described = new Compartment();
  const view = new EditorView({
    parent,
    doc: text,
    extensions: [
      nonce === '' ? [] : EditorView.cspNonce.of(nonce),
      editorTheme,
      described.of([]),
      history(),
      highlighting(bare),
      errors,
      autocompletion({ override: [completion(bare, getScope)], icons: false }),
      closeBrackets(),
      replaceSelection,
      EditorState.languageData.of(() => [{ closeBrackets: { brackets: ['{', '['] } }]),
      limits(single, maxLength),
      EditorView.lineWrapping,
      keymap.of([
        ...closeBracketsKeymap,
        ...(single ? [{ key: 'Enter', run: () => true }] : []),
        ...historyKeymap,
        ...standardKeymap,
      ]),
      EditorView.updateListener.of(({ docChanged, state, transactions }) => {
        if (docChanged && !transactions.some((one) => one.annotation(fromOutside) === true))
          onChange(state.doc.toString());
      }),
    ],
  });
  return {
    state: () => ({ text: view.state.doc.toString(), cursor: view.state.selection.main.from }),
    setText: (next) => {
      const before = view.state.doc.toString();
      if (next !== before)
        view.dispatch({
          changes: { from: 0, to: before.length, insert: next },
          annotations: fromOutside.of(true),
        });
    },
    insert: (inserted) => {
      view.focus();
      view.dispatch({ ...view.state.replaceSelection(inserted), scrollIntoView: true });
    },
    describe: (attributes, placeholder) =>
      view.dispatch({
        effects: described.reconfigure([
          EditorView.contentAttributes.of({ ...attributes, 'aria-multiline': String(!single) }),
          placeholder === '' ? [] : placeholderOf(placeholder),
        ]),
      }),
    mark: (messages) =>
      view.dispatch({
        effects: setErrors.of(
          errorRanges(view.state.doc.toString(), messages).map(({ from, to }) => errorMark.range(from, to)),
        ),
      }),
    destroy: () => view.destroy(),
  };
}
