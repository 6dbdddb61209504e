/** Names of models at their providers: of any script, such as a file's path with spaces. */
import { characterExcept } from '../../../platform/http/portable-pattern.ts';
import { inWords } from '../../../platform/http/pattern-words.ts';

/** Slashes are allowed, as in `meta-llama/llama-3.1-8b`. The name ends an ID that is compared and shown in one line. */
export const MODEL_NAME_PATTERN = inWords(
  `^(?=\\S)${characterExcept('\\u2028\\u2029')}*${characterExcept('\\s')}$`,
  'can only contain printable characters, and must not begin or end with a space',
);
