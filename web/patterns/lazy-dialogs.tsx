/** Dialogs and sheets that are loaded when they are first opened, and stay, so that they can slide out. */
import { Suspense, useState } from 'react';
import { lazily } from './lazily.ts';

export const ConfirmAction = lazily(() => import('./ConfirmAction.tsx'), 'ConfirmAction');
export const SideSheet = lazily(() => import('../design/SideSheet.tsx'), 'SideSheet');
export const SecretDialog = lazily(() => import('./SecretDialog.tsx'), 'SecretDialog');

/** Renders what is in it from the first time that `opened` is true. */
export function OnceOpened({ opened, children }: { opened: boolean; children: React.ReactNode }) {
  const [once, setOnce] = useState(opened);
  if (opened && !once) setOnce(true);
  return once ? <Suspense>{children}</Suspense> : null;
}
