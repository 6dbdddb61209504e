/** A Liquid editor on CodeMirror; loaded on demand through `TemplateField`. Tab leaves it. */
import { useContext, useEffect, useEffectEvent, useRef } from 'react';
import { createEditor, type EditorHandle } from './code-mirror.ts';
import { insertionText, isWithinTag, registerEditor, TEMPLATE_ATTRIBUTE } from './insertion.ts';
import { SampleScope } from './scope.ts';

export interface CodeEditorProps {
  value: string;
  onChange: (text: string) => void;
  /** Attributes of the text box: its name, description, and state. */
  attributes: Record<string, string>;
  /** Errors whose positions are marked. */
  error?: string | undefined;
  placeholder?: string | undefined;
  // These three are fixed when the editor is created.
  /** A single line: Enter is ignored, and line breaks become spaces. */
  single: boolean;
  /** Takes an expression without braces. */
  bare: boolean;
  maxLength?: number | undefined;
}

export function CodeEditor(props: CodeEditorProps) {
  const { value, onChange, attributes, error = '', placeholder = '', single, bare, maxLength } = props;
  const root = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorHandle>(null);
  /** Values that the editor reported and React has not rendered yet: they are not changes from outside. */
  const reported = useRef<string[]>([]);
  const scope = useContext(SampleScope);
  const getScope = useEffectEvent(() => scope);
  const report = useEffectEvent((text: string) => {
    reported.current.push(text);
    onChange(text);
  });
  const open = useEffectEvent((parent: Element) => {
    const created = createEditor({
      parent,
      text: value,
      single,
      bare,
      maxLength,
      getScope: () => getScope(),
      onChange: (text) => report(text),
    });
    registerEditor(parent, (parts, isList) => {
      const { text, cursor } = created.state();
      created.insert(
        insertionText(parts, { isList: isList && !single, bare: bare || isWithinTag(text, cursor) }),
      );
    });
    return created;
  });

  useEffect(() => {
    const parent = root.current;
    if (!parent) return undefined;
    const created = open(parent);
    editor.current = created;
    return () => created.destroy();
  }, []);

  useEffect(() => {
    const known = reported.current.indexOf(value);
    reported.current = reported.current.slice(known + 1);
    if (known === -1) editor.current?.setText(value);
  }, [value]);
  const named = JSON.stringify(attributes);
  useEffect(
    () => editor.current?.describe(JSON.parse(named) as Record<string, string>, placeholder),
    [named, placeholder],
  );
  useEffect(() => editor.current?.mark(error), [error]);

  return <div ref={root} {...{ [TEMPLATE_ATTRIBUTE]: '' }} />;
}
