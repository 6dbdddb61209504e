/**
 * The output of operator commands. Names are chosen by users, and a terminal interprets control characters, so
 * characters that would move the cursor, change colors or reverse text are shown as their code points.
 */
export interface Terminal {
  out(text: string): void;
  error(text: string): void;
  input: NodeJS.ReadableStream;
}

/** Control characters, line separators, and characters that change the text direction or are invisible. */
const OBEYED = /[\p{Cc}\u{2028}\u{2029}\u{61C}\u{200B}-\u{200F}\u{202A}-\u{202E}\u{2060}-\u{206F}\u{FEFF}]/gu;

const numbered = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`;

/** Escapes a line so that the terminal only displays it: shows `\u{1b}[2J` instead of clearing the screen. */
export const harmless = (text: string): string => text.replace(OBEYED, numbered);

/** Escapes text of several lines. */
export const harmlessLines = (text: string): string => text.split('\n').map(harmless).join('\n');

/** Formats text in columns, each as wide as its widest cell. */
export function table(rows: string[][]): string {
  const shown = rows.map((row) => row.map(harmless));
  const widths = shown[0]!.map((_, column) =>
    shown.reduce((widest, row) => Math.max(widest, row[column]!.length), 0),
  );
  return shown
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Standard input, output and error of a command. */
export const processTerminal = (process: NodeJS.Process): Terminal => ({
  out: (text) => void process.stdout.write(`${harmlessLines(text)}\n`),
  error: (text) => void process.stderr.write(`${harmlessLines(text)}\n`),
  input: process.stdin,
});
