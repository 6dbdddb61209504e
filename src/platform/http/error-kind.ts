/** An entry of the error catalog. */
export interface ErrorKind {
  status: number;
  title: string;
  /** Meaning and remedy, for the documentation. */
  help: string;
}

export const kind = (status: number, title: string, help: string): ErrorKind => ({ status, title, help });
