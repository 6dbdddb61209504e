/**
 * Parts of patterns for texts of any script. JSON Schema does not say whether a pattern has the flag `u`: Ajv sets it,
 * other validators do not. Without it, `\p{Cc}` matches the letters of its name, and a character outside the basic
 * plane counts as two. These parts mean the same either way.
 */

/** The control characters (category Cc), for use in a class. */
export const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';

/**
 * One character, except control characters, surrogates without their other half, and those given.
 * @param excluded as in a class: `,\\s`
 */
export const characterExcept = (excluded: string): string =>
  `(?:[^${excluded}${CONTROL}\\ud800-\\udfff]|[\\ud800-\\udbff][\\udc00-\\udfff])`;
