/** Email addresses are compared and kept in lower case, as in the table of users. */
export const foldEmail = (email: string): string => email.trim().toLowerCase();
