/** Dialogs and sheets that are loaded when they are first opened, and stay, so that they can slide out. */
import { lazy, Suspense, useState } from 'react';
import type { ConfirmDialog as ConfirmDialogType } from './ConfirmDialog.tsx';
import type { SideSheet as SideSheetType } from './SideSheet.tsx';

// `lazy` forgets type parameters; the casts give them back.
export const ConfirmDialog = lazy(async () => ({
  default: (await import('./ConfirmDialog.tsx')).ConfirmDialog,
})) as unknown as typeof ConfirmDialogType;

export const SideSheet = lazy(async () => ({
  default: (await import('./SideSheet.tsx')).SideSheet,
})) as unknown as typeof SideSheetType;

export const SecretDialog = lazy(async () => ({
  default: (await import('./SecretDialog.tsx')).SecretDialog,
}));

/** Renders what is in it from the first time that `opened` is true. */
export function OnceOpened({ opened, children }: { opened: boolean; children: React.ReactNode }) {
  const [once, setOnce] = useState(opened);
  if (opened && !once) setOnce(true);
  return once ? <Suspense>{children}</Suspense> : null;
}
