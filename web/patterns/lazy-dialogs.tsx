/** Dialogs and sheets that are loaded when they are first opened, and stay, so that they can slide out. */
import { type ComponentType, Suspense, useEffect, useState } from 'react';
import { lazily } from './lazily.ts';

/** Renders its children from the first time that `opened` is true. */
function OnceOpened({ opened, children }: { opened: boolean; children: React.ReactNode }) {
  const [once, setOnce] = useState(opened);
  if (opened && !once) setOnce(true);
  return once ? <Suspense>{children}</Suspense> : null;
}

/** Opens a dialog once it is mounted: one that is mounted open doesn't remember where to give the focus back to. */
const openedOnceMounted = (Dialog: ComponentType<{ opened: boolean }>) =>
  function OpenedOnceMounted(props: { opened: boolean }) {
    const [isMounted, setMounted] = useState(false);
    useEffect(() => setMounted(true), []);
    return <Dialog {...props} opened={isMounted && props.opened} />;
  };

/**
 * Returns a dialog or sheet that is loaded when it is first opened.
 * @param load imports the module
 * @param name of the component among the module's exports
 * @param isOpened tells from its props whether it is open
 */
export const lazyOnceOpened = <M extends Record<N, (props: never) => React.ReactNode>, N extends keyof M>(
  load: () => Promise<M>,
  name: N,
  isOpened: (props: Parameters<M[N]>[0]) => boolean,
): M[N] => {
  const Dialog = lazily(load, name) as unknown as ComponentType<object>;
  const LazyDialog = (props: object) => (
    <OnceOpened opened={isOpened(props as Parameters<M[N]>[0])}>
      <Dialog {...props} />
    </OnceOpened>
  );
  // Generic components keep their type parameters.
  return LazyDialog as unknown as M[N];
};

/** As `lazyOnceOpened`, for dialogs with the prop `opened`. */
export const lazyDialog = <M extends Record<N, (props: never) => React.ReactNode>, N extends keyof M>(
  load: () => Promise<M>,
  name: N,
): M[N] => {
  const loadDialog = async () => ({ Dialog: openedOnceMounted((await load())[name] as never) });
  return lazyOnceOpened(loadDialog, 'Dialog', ({ opened }) => opened) as unknown as M[N];
};

export const ConfirmAction = lazyDialog(() => import('./ConfirmAction.tsx'), 'ConfirmAction');
export const SideSheet = lazyOnceOpened(
  () => import('../design/SideSheet.tsx'),
  'SideSheet',
  ({ opened, record }) => opened ?? record !== undefined,
);
export const SecretDialog = lazyOnceOpened(
  () => import('./SecretDialog.tsx'),
  'SecretDialog',
  ({ secret }) => secret !== null,
);
