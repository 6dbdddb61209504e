/** Asks for confirmation before the user leaves a page with unsaved changes. */
import { useBlocker } from '@tanstack/react-router';
import { t } from '../../copy/text.ts';
import { ConfirmAction } from '../lazy-dialogs.tsx';

/**
 * @param isUnsaved called when the user is about to leave
 * @returns the confirmation dialog, for the page to render
 */
export function useUnsavedChanges(isUnsaved: () => boolean): React.ReactNode {
  const blocker = useBlocker({
    // Changing filters and tabs of the same page keeps the changes.
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isUnsaved(),
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  const opened = blocker.status === 'blocked';
  return (
    <ConfirmAction
      opened={opened}
      title={t('Discard unsaved changes?')}
      confirm={t('Discard changes')}
      action={() => undefined}
      onDone={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    >
      {t("Your changes haven't been saved and will be lost if you leave this page.")}
    </ConfirmAction>
  );
}
