/** The reference itself: Scalar, set up so that it talks to this server alone and only for the document. */
import { createApiReference } from '@scalar/api-reference';
import '@scalar/api-reference/style.css';
import { nameControls } from './name-controls.ts';
import { scalarConfiguration } from './scalar-configuration.ts';
import './reference.css';

export interface Reference {
  /** Puts a key into every example; null takes it out again. */
  useKey(key: string | null): void;
}

export function startReference(element: Element): Reference {
  // What opens over the page stands outside the element.
  nameControls(document.body);
  const { updateConfiguration } = createApiReference(element, scalarConfiguration(null));
  return { useKey: (key) => updateConfiguration(scalarConfiguration(key)) };
}
