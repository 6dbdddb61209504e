/**
 * Build step: the few places where Scalar writes a style attribute into markup, which a strict CSP refuses, say the
 * same in a way that it allows. So the pages need no 'unsafe-inline'. A version of Scalar that no longer has such a
 * place, or has it elsewhere, fails the build; the browser test finds one that is new.
 */
import type { Plugin } from 'vite';

interface Replacement {
  /** How the path of the module ends. */
  module: string;
  from: string;
  to: string;
}

const REPLACEMENTS: Replacement[] = [
  {
    // Width of the column of line numbers; reference.css has it by the attribute.
    module: '@scalar/code-highlight/dist/chunks/code.js',
    from: 'node.properties.style = [`--line-count: ${numLines};`, `--line-digits: ${numLines.toString().length};`];',
    to: 'node.properties.dataLineDigits = numLines.toString().length;',
  },
  {
    // A box that is made to measure scroll bars.
    module: '@scalar/themes/dist/index.js',
    from: 'parent.setAttribute("style", "width:30px;height:30px;overflow-y:scroll;");',
    to: 'parent.style.cssText = "width:30px;height:30px;overflow-y:scroll;";',
  },
  {
    module: '@scalar/themes/dist/index.js',
    from: 'child.setAttribute("style", "width:100%;height:40px");',
    to: 'child.style.cssText = "width:100%;height:40px";',
  },
];

/** @throws Error at the end of the build when a place was not found */
export function strictCsp(): Plugin {
  const waiting = new Set(REPLACEMENTS);
  return {
    name: 'fairlead:strict-csp',
    transform(code, id) {
      let changed = code;
      for (const replacement of REPLACEMENTS) {
        if (!id.endsWith(replacement.module) || !changed.includes(replacement.from)) continue;
        changed = changed.replaceAll(replacement.from, replacement.to);
        waiting.delete(replacement);
      }
      return changed === code ? null : { code: changed, map: null };
    },
    buildEnd(error) {
      if (error || waiting.size === 0) return;
      throw new Error(`Not found, see strict-csp.ts: ${[...waiting].map(({ module }) => module).join(', ')}`);
    },
  };
}
