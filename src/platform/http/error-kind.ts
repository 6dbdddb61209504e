/** What the error catalog says of a code. */
export interface ErrorKind {
  status: number;
  title: string;
  /** What it means and what to do about it, for the documentation. */
  help: string;
}

export const kind = (status: number, title: string, help: string): ErrorKind => ({ status, title, help });
